"""Settings for all tests of the baselines."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    """Limits torch to one thread: tiny networks gain nothing from a second one, and on a busy machine wait for it."""
    torch.set_num_threads(1)
