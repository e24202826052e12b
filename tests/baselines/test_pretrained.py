"""A pretrained encoder, fine-tuned: here a tiny one with random weights and a tokenizer of a few pieces."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from modeling.baselines.batches import EncodedPairs, encode_pairs
from modeling.baselines.catalogue import make_settings
from modeling.baselines.data import Pair
from modeling.baselines.errors import BaselineError
from modeling.baselines.networks import Network, make_network
from modeling.baselines.optimisers import make_optimiser
from modeling.baselines.prediction import predict
from modeling.baselines.pretrained import Pieces, digest_of
from modeling.baselines.settings import LearningSettings
from tests.baselines.small import run_evaluate, run_train, small_run
from tests.baselines.test_resuming import StopAfter, assert_same_result
from tests.baselines.test_training import FILES

BOTH = ("pretrained", "pretrained_hypothesis")
PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "dog", "sleep", "##s", "run", ".", "not", "[", "]", "sep")
SENTENCES = ("a dog sleeps.", "", "zzz qqq", "a dog", " ".join(["runs"] * 401), "not [SEP] a dog")
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("tiny")
    numbers = {piece: number for number, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    tokenizer.enable_truncation(5)  # as some published ones come; a pair must not lose its end to it
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(PIECES), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=24, max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    return folder


def pairs_of_all() -> list[Pair]:
    return [
        Pair(str(number), (one, "a dog")[: 1 + number % 2], other, number % 3, "g")
        for number, (one, other) in enumerate((one, other) for one in SENTENCES for other in SENTENCES)
    ]


def made(baseline: str, model: Path, **changes: object) -> tuple[Network, EncodedPairs]:
    torch.manual_seed(3)
    pieces = Pieces(model)
    network = make_network(make_settings(baseline, {"model": str(model), **changes}), len(pieces), 0, 3)
    return network.eval(), encode_pairs(pairs_of_all(), network.reads, pieces)


@pytest.mark.parametrize("baseline", BOTH)
def test_padding_and_company_never_change_a_prediction(baseline: str, model: Path):
    network, pairs = made(baseline, model)
    together = predict(network, pairs, 3, CPU, lambda: None)
    with torch.inference_mode():
        alone = np.concatenate(
            [network(pairs.cut(np.array([row]), CPU)).softmax(dim=1).numpy() for row in range(len(pairs))]
        )
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert np.ptp(together, axis=0).max() > 0.01  # and it does look at the sentences


def plain_probabilities(
    network: Network, model: Path, pairs: Sequence[Pair], reads: Sequence[str]
) -> np.ndarray:
    """Computes one pair at a time, without padding: pieces, encoder, mean of its last states, linear layer, softmax."""
    from transformers import BertModel

    encoder, pieces = BertModel.from_pretrained(model, add_pooling_layer=False).eval(), Pieces(model)
    weight, bias = (
        network.get_parameter(f"classifier.{name}").detach().numpy() for name in ("weight", "bias")
    )
    rows = []
    for pair in pairs:
        sides = {
            "premise": [one for text in pair.premise for one in pieces.cut(text)],
            "hypothesis": pieces.cut(pair.hypothesis),
        }
        kept = [sides[side] for side in reads]
        while sum(map(len, kept)) + len(kept) + 1 > 64 - 2:
            max(reversed(kept), key=len).pop()  # the longer one's last, of two of a length the hypothesis's
        ids, types = [PIECES.index("[CLS]")], [0]
        for number, one in enumerate(kept):
            ids += [*pieces.encode(one), PIECES.index("[SEP]")]
            types += [number] * (len(one) + 1)
        with torch.inference_mode():
            states = (
                encoder(torch.tensor([ids]), token_type_ids=torch.tensor([types]))
                .last_hidden_state[0]
                .numpy()
            )
        logits = weight @ (sum(states) / len(ids)) + bias
        rows.append(np.exp(logits) / np.exp(logits).sum())
    return np.array(rows)


@pytest.mark.parametrize("baseline", BOTH)
def test_a_pair_gets_the_probabilities_of_the_plain_computation(baseline: str, model: Path):
    network, encoded = made(baseline, model)
    expected = plain_probabilities(network, model, pairs_of_all(), network.reads)
    np.testing.assert_allclose(predict(network, encoded, 3, CPU, lambda: None), expected, atol=1e-5)


def test_the_encoder_is_given_what_its_own_tokenizer_makes_of_two_sentences(model: Path):
    from tokenizers import Tokenizer

    network, _ = made("pretrained", model)
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_truncation()
    expected = tokenizer.encode("a dog sleeps.", "not a dog")
    pairs = encode_pairs([Pair("1", ("a dog sleeps.",), "not a dog", 0, "g")], network.reads, Pieces(model))
    seen: dict[str, torch.Tensor] = {}
    network.encoder.register_forward_pre_hook(
        lambda module, args, given: seen.update(given), with_kwargs=True
    )
    network(pairs.cut(np.array([0]), CPU))
    assert seen["input_ids"][0].tolist() == expected.ids
    assert seen["token_type_ids"][0].tolist() == expected.type_ids
    assert seen["attention_mask"][0].tolist() == expected.attention_mask


def test_a_special_piece_that_somebody_typed_is_just_characters(model: Path):
    assert Pieces(model).cut("not [SEP]") == ["not", "[", "sep", "]"]


@pytest.mark.thorough
@pytest.mark.parametrize("baseline", BOTH)
def test_every_weight_learns_and_one_batch_is_learnt_by_heart(baseline: str, model: Path):
    settings = make_settings(baseline, {"model": str(model), "dropout": 0.0, "learning_rate": 0.003})
    assert isinstance(settings, LearningSettings)
    network, _ = made(baseline, model, dropout=0.0)
    texts = [f"{one} {two}" for one in ("a", "dog", "not") for two in ("sleeps", "runs", ".", "dog")]
    pairs = [
        Pair(str(number), (reverse,), text, number % 3, "g")
        for number, (text, reverse) in enumerate(zip(texts, reversed(texts), strict=True))
    ]
    batch = encode_pairs(pairs, network.reads, Pieces(model)).cut(np.arange(len(pairs)), CPU)
    optimiser = make_optimiser(network, settings)
    for _ in range(400):
        logits = network(batch)
        if bool((logits.argmax(dim=1) == batch.labels).all()):
            return
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(logits, batch.labels).backward()
        assert all(parameter.grad is not None for parameter in network.parameters())
        optimiser.step()
    pytest.fail("the batch is not learnt in 400 steps")


@pytest.mark.parametrize("baseline", BOTH)
def test_a_run_folder_needs_nothing_of_the_model_that_it_began_with(
    baseline: str, model: Path, tmp_path: Path
):
    run = small_run(tmp_path, baseline)
    del run["vectors"]
    copy = tmp_path / "models" / "tiny"
    copy.mkdir(parents=True)
    for path in model.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    run["settings"] = {"model": str(copy), "epochs": 1, "batch_size": 16}
    code, events = run_train(run, tmp_path)
    assert code == 0, events[-1]
    config = json.loads((tmp_path / "run/config.json").read_text())
    assert config["settings"]["model"] == "tiny"
    assert len(config["pretrained"]) == 64
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        *FILES,
        "encoder",
        "training_dynamics.jsonl",
    }
    for path in copy.iterdir():
        path.unlink()
    evaluation = {
        "snapshot": run["snapshot"],
        "files": {"test": run["files"]["test"]},
        "folder": str(tmp_path / "again"),
    }
    code, events = run_evaluate(tmp_path / "run", evaluation, tmp_path)
    assert code == 0, events[-1]
    first, again = ((tmp_path / folder / "predictions-test.jsonl").read_text() for folder in ("run", "again"))
    assert first == again


@pytest.mark.thorough
def test_a_stopped_run_ends_as_one_that_never_stopped(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    settings = {"model": str(model), "epochs": 2, "batch_size": 24}
    assert run_train(small_run(tmp_path / "whole", "pretrained", settings=settings), tmp_path)[0] == 0
    run = small_run(tmp_path / "stopped", "pretrained", settings=settings)
    code, stops = 3, 0
    while code == 3:
        monkeypatch.setattr("modeling.baselines.program.Stop", lambda: StopAfter(3))
        code, _ = run_train(run, tmp_path)
        stops += code == 3
    assert (code, stops > 1) == (0, True)
    assert_same_result(tmp_path / "whole/run", tmp_path / "stopped/run")


def test_a_folder_without_a_model_is_said_so(tmp_path: Path):
    run = small_run(tmp_path, "pretrained", settings={"model": str(tmp_path / "none")})
    code, events = run_train(run, tmp_path)
    assert code == 1
    assert "has no config.json: set model to an installed package" in events[-1]["message"]


def without(file: Path, key: str) -> None:
    told = json.loads(file.read_text())
    del told[key]
    file.write_text(json.dumps(told))


BROKEN = {
    "tokenizer is empty": lambda folder: (folder / "tokenizer.json").write_text(""),
    "tokenizer is cut": lambda folder: cut_in_half(folder / "tokenizer.json"),
    "tokenizer is another thing": lambda folder: (folder / "tokenizer.json").write_text("[]"),
    "tokenizer has no model": lambda folder: without(folder / "tokenizer.json", "model"),
    "tokenizer knows nothing": lambda folder: without_pieces(folder / "tokenizer.json"),
    "tokenizer is of a larger model": lambda folder: changed(folder / "config.json", vocab_size=3),
    "config is empty": lambda folder: (folder / "config.json").write_text(""),
    "config is cut": lambda folder: cut_in_half(folder / "config.json"),
    "config is another thing": lambda folder: (folder / "config.json").write_text("[]"),
    "config names no kind": lambda folder: without(folder / "config.json", "model_type"),
    "config is of another size": lambda folder: changed(folder / "config.json", hidden_size=32),
    "config has too few places": lambda folder: changed(folder / "config.json", max_position_embeddings=4),
    "weights are empty": lambda folder: (folder / "model.safetensors").write_bytes(b""),
    "weights are cut": lambda folder: cut_in_half(folder / "model.safetensors"),
    "weights are text": lambda folder: (folder / "model.safetensors").write_text("version https://git-lfs"),
    "weights are of a smaller model": lambda folder: changed(folder / "config.json", num_hidden_layers=3),
}


def cut_in_half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def changed(file: Path, **more: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | more))


def without_pieces(file: Path) -> None:
    told = json.loads(file.read_text())
    told["model"]["vocab"] = {"[UNK]": 0}
    told["model"]["unk_token"] = "[UNK]"
    told["added_tokens"] = []
    told["post_processor"] = None
    told["pre_tokenizer"] = {
        "type": "Split",
        "pattern": {"String": "a"},
        "behavior": "Removed",
        "invert": False,
    }
    file.write_text(json.dumps(told))


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_folder_of_an_encoder_gives_a_sentence(how: str, model: Path, tmp_path: Path):
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    BROKEN[how](folder)
    with pytest.raises(BaselineError) as told:
        made("pretrained", folder)
    assert str(folder) in str(told.value)
    assert "\n" not in str(told.value)


def test_a_folder_without_weights_gives_a_sentence(model: Path, tmp_path: Path):
    folder = tmp_path / "bare"
    shutil.copytree(model, folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(BaselineError, match=r"model\.safetensors"):
        digest_of(str(folder))
