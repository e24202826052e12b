"""Learning curves that are drawn as SVG without a browser."""

from xml.etree import ElementTree

from modeling.reports.curves import curve_picture


def parts(picture: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture).iter())


def test_what_is_not_measured_is_left_out():
    picture = curve_picture("a & b", {"cbow": {100: 40.0, 1000: 50.0, 5000: None}, "lstm": {100: None}})
    names = [one.tag.rpartition("}")[2] for one in parts(picture)]
    assert names.count("circle") == 2
    assert names.count("polyline") == 1


def test_names_of_lines_that_end_together_stand_apart():
    picture = curve_picture("curves", {name: {100: 40.0, 1000: 50.0} for name in ("cbow", "lstm", "rnn")})
    places = {
        one.text: float(one.get("y", "nan")) for one in parts(picture) if one.get("text-anchor") == "start"
    }
    assert places["lstm"] < places["cbow"] < places["rnn"]
    height_of_a_letter = 13
    assert min(places["cbow"] - places["lstm"], places["rnn"] - places["cbow"]) >= height_of_a_letter


def test_every_point_lies_within_the_axes():
    lines = {f"system {number}": {10: 0.0, 10_000: 100.0} for number in range(5)}
    picture = curve_picture("curves", lines)
    points = [one for one in parts(picture) if one.tag.endswith("circle")]
    assert len(points) == 10
    assert {float(one.get("cx", "nan")) for one in points} == {56.0, 570.0}
    assert {float(one.get("cy", "nan")) for one in points} == {16.0, 352.0}
