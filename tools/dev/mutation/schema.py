"""One source that holds many mutants, so that these are compiled once: EGT_MUTANT in the environment is the number of the one that acts."""
import collections, re

from mutants import GUARDED_OPERATORS


def schema(source, mutants):
    """SOURCE with the mutants of a dictionary by number. Lines stay where they are."""
    opens, closes, tokens = (collections.defaultdict(list) for _ in range(3))
    for number, m in mutants.items():
        g = m.guard
        if g.before:
            opens[g.begin].append((-g.end, number, g.before.replace("#", str(number))))
            closes[g.end].append((-g.begin, -number, g.after.replace("#", str(number))))
        if g.token or g.other:
            tokens[g.place[0]].append((number, m))
    text, at = "", 0
    for place in sorted({*opens, *closes, *tokens}):
        text += source[at:place]
        at = max(at, place)
        text += "".join(edit for *_, edit in sorted(closes[place]) + sorted(opens[place]))
        if tokens[place]:
            text += replacement(source, tokens[place])
            at = tokens[place][0][1].guard.place[1]
    return text + source[at:]


def replacement(source, numbered):
    """What stands for a token that one or two mutants replace."""
    number, m = numbered[0]
    if m.guard.token:
        return m.guard.token.replace("#", str(number))
    own = source[slice(*m.guard.place)]
    others = ["%d, egt_mutation::%s" % (n, other.guard.other) for n, other in numbered]
    others += ["-1, egt_mutation::" + numbered[0][1].guard.other] * (2 - len(others))
    return "%s egt_mutation::Operator<egt_mutation::%s, %s>{} %s" % (own, GUARDED_OPERATORS[own], ", ".join(others), own)


def refused_lines(errors, name):
    """The lines of the source NAME that the compiler's messages are about."""
    return {int(line) for line in re.findall(r"(?:^|/)%s:(\d+):\d+: (?:error|note)" % re.escape(name), errors, re.M)}
