"""Questions to Mailchimp's API, written from knowledge of the product before its document was read."""

from tests.benchmarks.relevance.asking import Questions

STRANGERS: Questions = {
    "how many folks actually read our newsletter?": frozenset(
        {"getReportsId", "getReportsIdOpenDetails", "getReports", "getCampaignsId"}
    ),
    "a lady wants us to erase everything we know about her": frozenset(
        {"postListsIdMembersHashActionsDeletePermanent"}
    ),
    "stop the mail that was set to leave at noon": frozenset({"postCampaignsIdActionsUnschedule"}),
    "where in the world do our readers live": frozenset({"getListsIdLocations", "getReportsIdLocations"}),
    "jot down a remark about a customer": frozenset({"postListsIdMembersIdNotes"}),
    "everything people have bought from my shop": frozenset({"getEcommerceStoresIdOrders", "getEcommerceOrders"}),
    "fire off the newsletter right now": frozenset({"postCampaignsIdActionsSend"}),
    "who told on us for sending junk?": frozenset({"getListsIdAbuseReports", "getReportsIdAbuseReportsId"}),
    "new place to keep pictures in": frozenset({"postFileManagerFolders"}),
    "throw away an old design": frozenset({"deleteTemplatesId"}),
    "how did folks reply when we quizzed them": frozenset(
        {"getReportingSurveysIdResponses", "getReportingSurveysIdQuestionsIdAnswers", "getReportingSurveysIdQuestions"}
    ),
    "greet newcomers with a series of letters": frozenset({"postAutomations"}),
    "a reader moved to another provider, correct her email": frozenset(
        {"patchListsIdMembersId", "putListsIdMembersId"}
    ),
    "is our readership bigger than it was last year?": frozenset(
        {"getListsIdGrowthHistory", "getListsIdGrowthHistoryId"}
    ),
    "prove that we own our web address": frozenset({"verifyDomain", "createVerifiedDomain"}),
    "is the service up": frozenset({"getPing"}),
    "what my colleagues said about the draft": frozenset({"getCampaignsIdFeedback"}),
    "put a new pair of shoes in the shop": frozenset({"postEcommerceStoresIdProducts"}),
    "let readers pick the hobbies they care about": frozenset(
        {"postListsIdInterestCategories", "postListsIdInterestCategoriesIdInterests"}
    ),
    "do gmail people behave differently from yahoo people": frozenset({"getReportsIdDomainPerformance"}),
}

USERS: Questions = {
    "send me a test of the campaign before it goes out": frozenset({"postCampaignsIdActionsTest"}),
    "add a subscriber to my audience": frozenset({"postListsIdMembers", "putListsIdMembersId", "postListsId"}),
    "which links did people click in my last campaign": frozenset({"getReportsIdClickDetails"}),
    "contacts who unsubscribed because of a campaign": frozenset({"getReportsIdUnsubscribed"}),
    "make a segment of customers from Paris": frozenset({"postListsIdSegments"}),
    "schedule a campaign for Thursday morning": frozenset({"postCampaignsIdActionsSchedule"}),
    "duplicate an existing campaign": frozenset({"postCampaignsIdActionsReplicate"}),
    "archive a contact I no longer mail": frozenset({"deleteListsIdMembersId"}),
    "add a birthday merge field to the audience": frozenset({"postListsIdMergeFields"}),
    "pause one of my automation emails": frozenset({"postAutomationsIdEmailsIdActionsPause"}),
    "upload our logo to the content studio": frozenset({"postFileManagerFiles"}),
    "who opened my last campaign?": frozenset({"getReportsIdOpenDetails", "getReportsIdEmailActivity"}),
    "publish my landing page": frozenset({"postLandingPageIdActionsPublish"}),
    "see abandoned carts in my store": frozenset({"getEcommerceStoresIdCarts"}),
    "new promo code for the store": frozenset({"postEcommerceStoresIdPromocodes"}),
    "remove a webhook from an audience": frozenset({"deleteListsIdWebhooksId"}),
    "has my batch of operations finished?": frozenset({"getBatchesId", "getBatches"}),
    "tag a contact as wholesale": frozenset({"postListMemberTags"}),
    "resend campaign to people who didn't open it": frozenset({"postCampaignsIdActionsCreateResend"}),
    "replace the HTML of a campaign": frozenset({"putCampaignsIdContent"}),
}
