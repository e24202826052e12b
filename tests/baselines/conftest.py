"""What all tests of the baselines need."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    """Tiny networks gain nothing from a second thread, and on a busy machine wait for it most of the time."""
    torch.set_num_threads(1)
