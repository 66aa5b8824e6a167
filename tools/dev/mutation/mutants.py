"""The mutants of a C++ source: copies of it with one small fault each.

Operators, constants, negated conditions and deleted statements. What would only run off the end of a function is left out where
the tokens show it; what is no C++ the compiler refuses.
"""
from dataclasses import dataclass
from typing import Callable, Optional

from tokens import tokenize

OPERATORS = {"==": ("!=",), "!=": ("==",), "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "&&": ("||",),
             "||": ("&&",), "+": ("-",), "-": ("+",), "&": ("|",), "|": ("&",), "<<": (">>",), ">>": ("<<",), "+=": ("-=",), "-=": ("+=",),
             "|=": ("&=",), "&=": ("|=",)}
GUARDED_OPERATORS = {"==": "Equal", "!=": "NotEqual", "<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual", "+": "Plus",
                     "-": "Minus", "&": "BitAnd", "|": "BitOr", "<<": "ShiftLeft", ">>": "ShiftRight"}   # of schemata.h
ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
END_OF_OPERAND = (",", ";", "?", ":", "return", *ASSIGNMENTS)   # of one of && and ||, where no bracket ends it
NOT = "egt_mutation::Not{#} * "
BEGIN_NO_EXPRESSION = {"auto", "case", "class", "const", "constexpr", "default", "delete", "do", "else", "enum", "for", "friend", "goto",
                       "if", "namespace", "new", "operator", "private", "public", "static", "static_assert", "struct", "switch", "template",
                       "throw", "try", "typename", "using", "virtual", "while"}


@dataclass(frozen=True)
class Mutant:
    path: str      # of the source, from the root of the project
    line: int
    begin: int     # what is replaced
    end: int
    text: str      # by what
    kind: str      # operator, constant, condition or statement
    guard: Optional["Guard"] = None   # how a source holds it beside others; none: it stands alone

    def apply(self, source):
        return source[: self.begin] + self.text + source[self.end :]

    def lines(self, source):
        """The numbers of the lines that it changes, with those of its guard."""
        begin, end = (self.guard.begin, self.guard.end) if self.guard else (self.begin, self.end)
        first = source.count("\n", 0, begin) + 1
        return set(range(first, first + source.count("\n", begin, end) + 1))

    def before(self, source):
        return self._lines(source, source)

    def after(self, source):
        return self._lines(source, self.apply(source))

    def _lines(self, source, shown):
        """The lines of SHOWN that the change touches, as one."""
        first = source.rfind("\n", 0, self.begin) + 1
        last = shown.find("\n", self.end + len(shown) - len(source))
        return " ".join(shown[first:last].split())


@dataclass(frozen=True)
class Guard:
    """What is put around BEGIN to END, and in place of the mutant's token, so that mutant number # acts if asked to."""
    begin: int
    end: int
    before: str = ""
    after: str = ""
    place: tuple = ()             # of the token
    token: Optional[str] = None
    other: Optional[str] = None   # an operator's name in schemata.h, where several mutants share the token


def mutants_of(path, source):
    return Finder(path, source).find()


class Finder:
    """Finds the mutants of one source."""

    def __init__(self, path, source):
        self.path = path
        self.source = source
        self.tokens = tokenize(source)
        self.mutants = []

    def find(self):
        for at, token in enumerate(self.tokens):
            if token.kind == "number":
                self._constant(at)
            elif token.kind == "word":
                self._word(at)
            elif token.kind == "mark":
                self._mark(at)
            if self._begins_statement(at):
                self._statement(at)
        return self.mutants

    def _text(self, at):
        """The token, or nothing for one that is no part of the code (a string may read like a mark)."""
        return self.tokens[at].text if 0 <= at < len(self.tokens) and self.tokens[at].kind != "string" else ""

    def _replace(self, first, last, text, kind, before="", after="", place=None, **guard):
        """Puts TEXT in place of tokens FIRST to LAST; BEFORE and AFTER are the guard around these, the rest is that of token PLACE."""
        begin, end = self.tokens[first], self.tokens[last]
        token = begin if place is None else self.tokens[place]
        guard = Guard(begin.begin, end.end, before, after, (token.begin, token.end), **guard) if before or guard else None
        self.mutants.append(Mutant(self.path, token.line, begin.begin, end.end, text, kind, guard))

    def _source(self, first, last):
        return self.source[self.tokens[first].begin : self.tokens[last].end]

    def _constant(self, at):
        written = self.tokens[at].text
        digits = written.rstrip("uUlLzZ")
        try:
            value = int(digits.replace("'", ""), 0)
        except ValueError:   # a floating-point number
            return
        other = 1 - value if value in (0, 1) else value + 1
        text = (hex(other) if digits[:2].lower() == "0x" else str(other)) + written[len(digits) :]
        self._replace(at, at, text, "constant", "(egt_mutant == # ? %s : " % text, ")")

    def _word(self, at):
        text = self._text(at)
        if text in ("true", "false"):
            self._replace(at, at, "false" if text == "true" else "true", "constant",
                          token="(egt_mutant %s #)" % ("!=" if text == "true" else "=="))
        elif text in ("if", "while") and self._text(at + 1) == "(":
            self._condition(at + 1)

    def _mark(self, at):
        token = self.tokens[at]
        if token.text == "?" and token.binary:
            self._ternary(at)
        elif token.text == "!" and self._text(at + 1) != "(":
            self._replace(at, at, "", "condition", token=NOT)
        elif token.text in ("&&", "||") and token.binary:
            self._logical(at)
        elif token.binary and self._text(at - 1) != "template":
            for other in OPERATORS.get(token.text, ()):
                guard = {"other": GUARDED_OPERATORS[other]} if other in GUARDED_OPERATORS else {}
                self._replace(at, at, other, "operator", **guard)

    def _logical(self, at):
        """`a && b` becomes `(a || b)`; guarded it is `a ? b : false`, or `!a ? b : true`. `a || b` the other way round."""
        is_and = self._text(at) == "&&"
        stop = END_OF_OPERAND + (("||",) if is_and else ())
        first = self._first_back(at, ("(", "[", "{") + stop)
        last = next(i for i in self._top_level(at + 1, len(self.tokens)) if self._text(i) in (")", "]", "}", "||", *stop) or
                    is_and and self._text(i) == "&&")
        text = "(%s %s %s)" % (self._source(first, at - 1), "||" if is_and else "&&", self._source(at + 1, last - 1))
        self._replace(first, last - 1, text, "operator", "((static_cast<bool>(", ") : (egt_mutant %s #))" % ("==" if is_and else "!="),
                      place=at, token=")) %s (egt_mutant == #) ? static_cast<bool>(" % ("!=" if is_and else "=="))

    def _first_back(self, at, stop):
        """The first token of the operand that ends before AT: the one behind any of STOP that no brackets enclose."""
        while at > 0 and self._text(at - 1) not in stop:
            at = self.tokens[at - 1].mate if self._text(at - 1) in (")", "]", "}") else at - 1
        return at

    def _condition(self, opening):
        """`if (x)` becomes `if (!(x))`, and so does what follows `;` in `if (auto x = f(); x)`. A declaration has no negation."""
        first, last = opening + 1, self.tokens[opening].mate - 1
        top = list(self._top_level(first, last))
        first = max([at + 1 for at in top if self._text(at) == ";"], default=first)
        if not any(at >= first and self._text(at) == "=" for at in top):
            self._negate(first, last)

    def _ternary(self, question):
        """`a == b ? c : d` becomes `!(a == b) ? c : d`."""
        self._negate(self._first_back(question, ("(", "[", "{", *END_OF_OPERAND)), question - 1)

    def _negate(self, first, last):
        """Nothing for `!x` and `x == y`, of which other mutants are the negation."""
        if self._text(first) == "!" and (first + 1 == last or self.tokens[first + 1].mate == last):
            if self._text(first + 1) == "(":
                self._replace(first, first, "", "condition", token=NOT)
            return
        operators = [self._text(at) for at in self._top_level(first, last) if self.tokens[at].binary]
        if operators not in (["=="], ["!="]):
            self._replace(first, last, "!(%s)" % self._source(first, last), "condition", "((egt_mutant == #) != static_cast<bool>(", "))")

    def _top_level(self, first, last):
        """The tokens from FIRST to LAST that no brackets between these enclose."""
        at = first
        while at <= last:
            yield at
            at = max(self.tokens[at].mate, at) + 1

    # Statements

    def _begins_statement(self, at):
        before = self._text(at - 1)
        if before == ":":
            return self._ends_label(at - 1)
        return before in (";", "{", "}", "else") or self._ends_head(at - 1, ("if", "for", "while"))

    def _ends_label(self, colon):
        at = colon
        while at > 0 and self._text(at - 1) not in (";", "{", "}", ":", "?"):
            at -= 1
        return self._text(at) in ("case", "default")

    def _ends_head(self, at, words):
        """Whether the token is the `)` of `if (…)`."""
        if self._text(at) != ")":
            return False
        opening = self.tokens[at].mate
        return self._text(opening - 2 if self._text(opening - 1) == "constexpr" else opening - 1) in words

    def _statement(self, first):
        semicolon = next((at for at in self._top_level(first, len(self.tokens) - 1) if self._text(at) in (";", "}", ")", "]")), None)
        if semicolon is None or self._text(semicolon) != ";":
            return
        word = self._text(first)
        if word in ("break", "continue") or (self._leaves_early(first, semicolon) if word == "return" else self._has_effect(first, semicolon)):
            self._replace(first, semicolon, ";", "statement", "{ if (egt_mutant != #) ", " }")

    def _leaves_early(self, first, semicolon):
        """Whether statements follow a `return` that has a condition: without it the function goes on."""
        after = self._text(semicolon + 1)
        if after != "}":
            return after != "else"
        opening = self.tokens[semicolon + 1].mate
        return self._ends_head(opening - 1, ("if",)) and self._text(semicolon + 2) not in ("}", "else")

    def _has_effect(self, first, semicolon):
        """Whether the statement is a call or an assignment, rather than a declaration."""
        at, calls = first, False
        while self._text(at) in ("*", "++", "--"):
            calls = calls or self._text(at) != "*"
            at += 1
        if self.tokens[at].kind != "word" and self._text(at) != "(" or self._text(at) in BEGIN_NO_EXPRESSION | {"return"}:
            return False
        at = max(self.tokens[at].mate, at) + 1
        while at < semicolon:
            text = self._text(at)
            if text in ASSIGNMENTS or text in ("++", "--") or text == "<<":
                return True
            if text in ("::", ".", "->"):
                at += 2
            elif text in ("(", "["):
                calls = calls or text == "("
                at = self.tokens[at].mate + 1
            elif text == "<" and not self.tokens[at].binary:
                at = self._end_of_template_arguments(at, semicolon)
            else:
                return False
        return calls

    def _end_of_template_arguments(self, at, limit):
        depth = 0
        while at < limit:
            text = self._text(at)
            depth += 1 if text == "<" else -len(text) if text in (">", ">>") else 0
            at += 1
            if depth <= 0:
                break
        return at
