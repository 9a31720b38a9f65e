"""Questions as people put them, and the operations of public APIs that each may find.

Strangers do not know the product: hardly a word of theirs is in the text of what would answer them. Users do: theirs are
its nouns, and otherwise words of their own. All were written from knowledge of the products before they were searched.
Nothing in the package is tuned on `MEASURED`: who changes a weight or a word chooses by `TUNING` and measures here.
"""

from collections.abc import Mapping

from tests.benchmarks.relevance import documents
from tests.benchmarks.relevance.asking import Questions
from tests.benchmarks.relevance.documents import Document
from tests.benchmarks.relevance.questions import github, mailchimp, slack, tuning

Sets = Mapping[Document, Mapping[str, Questions]]

MEASURED: Sets = {
    documents.GITHUB: {"users": github.USERS, "strangers": github.STRANGERS},
    documents.SLACK: {"users": slack.USERS, "strangers": slack.STRANGERS},
    documents.MAILCHIMP: {"users": mailchimp.USERS, "strangers": mailchimp.STRANGERS},
}
TUNING: Sets = {
    documents.STRIPE: {"users": tuning.STRIPE_USERS, "strangers": tuning.STRIPE_STRANGERS},
    documents.DIGITALOCEAN: {"users": tuning.DIGITALOCEAN_USERS, "strangers": tuning.DIGITALOCEAN_STRANGERS},
    documents.ZOOM: {"users": tuning.ZOOM_USERS, "strangers": tuning.ZOOM_STRANGERS},
    documents.JIRA: {"users": tuning.JIRA_USERS, "strangers": tuning.JIRA_STRANGERS},
    documents.JELLYFIN: {"users": tuning.JELLYFIN_USERS, "strangers": tuning.JELLYFIN_STRANGERS},
}
