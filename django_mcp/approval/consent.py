"""The words of consent that models send of their own accord. They confirm nothing: only a token does."""

# As names of arguments, beside the operation's own.
CONSENT_NAMES = frozenset({"approve", "approved", "confirm", "confirmation", "confirmed"})
# In the token's place, in nine languages, with the words for no and for nothing.
CONSENT_WORDS = CONSENT_NAMES | {
    "1", "0", "accept", "accepted", "agree", "agreed", "allow", "allowed", "continue", "correct", "da", "execute",
    "false", "go", "hai", "ja", "n", "no", "none", "null", "ok", "okay", "oui", "perform", "please", "proceed", "run",
    "si", "sim", "sure", "sí", "tak", "true", "undefined", "y", "yeah", "yep", "yes",
}  # fmt: skip
