"""Questions as people put them, and the operations of GitHub's API that each may find.

Written from knowledge of the API, before anything was searched, and in other words than its document has. Nothing in
the package is tuned on them: who changes a weight measures here, and does not choose by it.
"""

QUESTIONS: dict[str, frozenset[str]] = {
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
            "secret-scanning/list-alerts-for-enterprise",
        }
    ),
    "keep a troublemaker from bothering us": frozenset({"orgs/block-user", "users/block"}),
    "how much money did we spend on build minutes": frozenset(
        {
            "billing/get-github-actions-billing-org",
            "billing/get-github-actions-billing-user",
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
