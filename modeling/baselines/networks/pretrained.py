"""A pretrained encoder, fine-tuned: today's usual approach, to compare with the papers' networks."""

from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from modeling.baselines.batches import Batch, Sentences
from modeling.baselines.errors import BaselineError
from modeling.baselines.networks.layers import Network
from modeling.baselines.pretrained import MODEL, Pieces, folder_of, whole
from modeling.baselines.settings import PretrainedSettings


def _encoder(folder: Path) -> Any:
    """Returns the encoder of a folder. A run folder has the shape alone: its weights follow from weights.safetensors."""
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    if not (folder / MODEL).is_file():
        return AutoModel.from_config(config)
    encoder, loaded = AutoModel.from_pretrained(
        folder, local_files_only=True, use_safetensors=True, dtype=torch.float32, output_loading_info=True
    )
    lacking = sorted(key for key in loaded["missing_keys"] if not key.startswith("pooler."))
    if lacking:  # transformers would draw these at random
        raise BaselineError(
            f"{folder / MODEL} lacks {len(lacking)} weights, such as {lacking[0]}. Get its folder again."
        )
    return encoder


class Pretrained(Network):
    """The encoder reads premise and hypothesis together, in its tokenizer's form for two sentences; the mean of its last
    states goes through dropout into the softmax.

    The packaged model was trained to use the mean, not the first state. Several premises are read as one text. If a pair is
    longer than the model can read, words at the end of the longer sentence are dropped first.
    """

    def __init__(self, settings: PretrainedSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__()
        folder = folder_of(settings.model)
        with whole(folder):
            self.encoder: Any = _encoder(folder)
        config = self.encoder.config
        if getattr(self.encoder, "pooler", None) is not None:
            self.encoder.pooler = None  # its weights would never get a gradient
        pieces = Pieces(folder)
        if pieces.largest >= config.vocab_size:
            raise BaselineError(
                f"The tokenizer in {folder} has {pieces.largest + 1} pieces, but the model knows {config.vocab_size}:"
                " they are not of one model."
            )
        self.before, self.between, self.after = pieces.around
        self.types = pieces.types if getattr(config, "type_vocab_size", 1) > 1 else None
        specials = len(self.before) + len(self.after) + (len(self.reads) - 1) * len(self.between)
        # Models that number positions from that of padding on have two positions fewer than their configuration says.
        self.room = config.max_position_embeddings - specials - 2
        if self.room < 2:
            raise BaselineError(
                f"The model in {folder} reads {config.max_position_embeddings} pieces at a time: too few."
            )
        self.dropout = nn.Dropout(settings.dropout)
        self.classifier = nn.Linear(config.hidden_size, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        device = self.classifier.weight.device
        kept = self.lengths_that_fit([one.lengths for one in batch.sentences])
        longest = (
            int(torch.stack(kept).sum(dim=0).max()) + len(self.before) + len(self.after) + len(self.between)
        )
        pieces = torch.zeros(len(batch), longest, dtype=torch.long, device=device)
        types = torch.zeros_like(pieces)
        end = torch.zeros(len(batch), dtype=torch.long, device=device)
        for number, (sentences, lengths) in enumerate(zip(batch.sentences, kept, strict=True)):
            end = self.put_special(pieces, types, end, self.between if number else self.before, 0)
            kind = self.types[number if len(kept) > 1 else 0] if self.types else 0
            end = put(pieces, types, end, sentences, lengths.to(device), kind)
        end = self.put_special(pieces, types, end, self.after, self.types[len(kept) - 1] if self.types else 0)
        mask = torch.arange(longest, device=device) < end[:, None]
        more = {} if self.types is None else {"token_type_ids": types}
        states = self.encoder(input_ids=pieces, attention_mask=mask.long(), **more).last_hidden_state
        mean = (states * mask[:, :, None]).sum(dim=1) / end[:, None]
        logits: Tensor = self.classifier(self.dropout(mean))
        return logits

    def lengths_that_fit(self, lengths: list[Tensor]) -> list[Tensor]:
        """Returns how many pieces of each sentence (batch,) are read: together no more than the model can read."""
        if len(lengths) == 1:
            return [lengths[0].clamp(max=self.room)]
        first, second = lengths
        of_second = torch.minimum(second, (self.room - first).clamp(min=self.room // 2))
        return [torch.minimum(first, self.room - of_second), of_second]

    def put_special(
        self, pieces: Tensor, types: Tensor, end: Tensor, special: list[int], kind: int
    ) -> Tensor:
        """Writes special pieces at `end` (batch,) of each row; return the new ends."""
        rows = torch.arange(len(pieces), device=pieces.device)
        for number in special:
            pieces[rows, end], types[rows, end] = number, kind
            end = end + 1
        return end


def put(
    pieces: Tensor, types: Tensor, end: Tensor, sentences: Sentences, lengths: Tensor, kind: int
) -> Tensor:
    """Writes the first `lengths` (batch,) pieces of each sentence at `end` (batch,) of its row; return the new ends."""
    row, place = (torch.arange(sentences.tokens.shape[1], device=pieces.device) < lengths[:, None]).nonzero(
        as_tuple=True
    )
    pieces[row, end[row] + place] = sentences.tokens[row, place]
    types[row, end[row] + place] = kind
    return end + lengths


class PretrainedHypothesis(Pretrained):
    """The same encoder on the hypothesis alone."""

    reads: ClassVar[tuple[str, ...]] = ("hypothesis",)
