"""Questions to GitHub's API, written from knowledge of it before they were searched."""

from tests.benchmarks.relevance.asking import Questions

# From people who do not know the product: hardly a word of these is in the text of what would answer them.
STRANGERS: Questions = {
    "how many people looked at my project this week": frozenset({"repos/get-views"}),
    "stop a build that is still going": frozenset({"actions/cancel-workflow-run", "actions/force-cancel-workflow-run"}),
    "which passwords can the pipelines of my project read": frozenset(
        {
            "actions/list-repo-secrets",
            "actions/list-repo-organization-secrets",
            "actions/list-environment-secrets",
        }
    ),
    "give my colleague access to push code": frozenset({"repos/add-collaborator"}),
    "who likes my project": frozenset({"activity/list-stargazers-for-repo"}),
    "close a bug report": frozenset({"issues/update"}),
    "answer somebody below a bug report": frozenset({"issues/create-comment"}),
    "approve what somebody proposed to change in the code": frozenset({"pulls/create-review", "pulls/submit-review"}),
    "copy someone else's project into my own account": frozenset({"repos/create-fork"}),
    "kick a person out of the company": frozenset({"orgs/remove-member", "orgs/remove-membership-for-user"}),
    "publish version 2.0 with notes on what changed": frozenset(
        {"repos/create-release", "repos/generate-release-notes"}
    ),
    "which known security holes do the libraries we depend on have": frozenset(
        {
            "dependabot/list-alerts-for-repo",
            "dependabot/list-alerts-for-org",
            "dependabot/list-alerts-for-enterprise",
        }
    ),
    "show me passwords that leaked into the code": frozenset(
        {
            "secret-scanning/list-alerts-for-repo",
            "secret-scanning/list-alerts-for-org",
        }
    ),
    "keep a troublemaker from bothering us": frozenset({"orgs/block-user", "users/block"}),
    "how much money did we spend on build minutes": frozenset(
        {
            "billing/get-github-billing-usage-report-org",
            "billing/get-github-billing-usage-report-user",
            "billing/get-github-billing-usage-summary-report-org",
            "billing/get-github-billing-usage-summary-report-user",
        }
    ),
    "start the nightly job by hand": frozenset({"actions/create-workflow-dispatch"}),
    "the text that a broken build printed": frozenset(
        {"actions/download-job-logs-for-workflow-run", "actions/download-workflow-run-logs"}
    ),
    "let everybody push to main again": frozenset(
        {"repos/delete-branch-protection", "repos/delete-access-restrictions"}
    ),
    "give the main line of development another name": frozenset({"repos/rename-branch"}),
    "tick off everything in my inbox as seen": frozenset({"activity/mark-notifications-as-read"}),
}

# From people who use the product: its nouns, and otherwise words of their own.
USERS: Questions = {
    "report a bug in a repository": frozenset({"issues/create"}),
    "tag an issue as urgent": frozenset({"issues/add-labels", "issues/set-labels", "issues/update"}),
    "who was asked to look at a pull request": frozenset({"pulls/list-requested-reviewers"}),
    "get my pull request into main": frozenset({"pulls/merge"}),
    "which files does a pull request touch": frozenset({"pulls/list-files"}),
    "restart what failed in a workflow": frozenset(
        {"actions/re-run-workflow-failed-jobs", "actions/re-run-workflow", "actions/re-run-job-for-workflow-run"}
    ),
    "abort a running workflow": frozenset({"actions/cancel-workflow-run", "actions/force-cancel-workflow-run"}),
    "trigger a workflow by hand": frozenset({"actions/create-workflow-dispatch"}),
    "invite someone to work on my repository": frozenset({"repos/add-collaborator", "orgs/create-invitation"}),
    "throw a member out of the organization": frozenset({"orgs/remove-member", "orgs/remove-membership-for-user"}),
    "make a repository private": frozenset({"repos/update"}),
    "copy a repository to my own account": frozenset({"repos/create-fork"}),
    "what did the organization spend on actions this month": frozenset(
        {"billing/get-github-billing-usage-report-org", "billing/get-github-billing-usage-summary-report-org"}
    ),
    "vulnerable dependencies of a repository": frozenset({"dependabot/list-alerts-for-repo"}),
    "lock the main branch so that nobody can push": frozenset(
        {"repos/update-branch-protection", "repos/create-repo-ruleset", "repos/set-user-access-restrictions"}
    ),
    "announce a new version with release notes": frozenset({"repos/create-release", "repos/generate-release-notes"}),
    "everything that one author committed since monday": frozenset({"repos/list-commits", "search/commits"}),
    "my unread notifications": frozenset(
        {
            "activity/list-notifications-for-authenticated-user",
            "activity/list-repo-notifications-for-authenticated-user",
        }
    ),
    "take a stolen ssh key off my account": frozenset({"users/delete-public-ssh-key-for-authenticated-user"}),
    "how much traffic does my repository get": frozenset(
        {"repos/get-views", "repos/get-clones", "repos/get-top-paths", "repos/get-top-referrers"}
    ),
}
