"""Questions that weights and words are chosen by, to other APIs than those that are measured."""

from tests.benchmarks.relevance.asking import Questions

STRIPE_STRANGERS: Questions = {
    "give a shopper their money back": frozenset(
        {"PostRefunds", "PostChargesChargeRefund", "PostChargesChargeRefunds"}
    ),
    "how much cash do we hold right now": frozenset({"GetBalance"}),
    "people who stopped paying us every month": frozenset({"GetSubscriptions", "GetSubscriptionsSearch"}),
    "who complained to their bank about a purchase": frozenset({"GetDisputes"}),
    "let people buy through a ready-made page": frozenset({"PostPaymentLinks", "PostCheckoutSessions"}),
    "get rid of everything we know about a buyer": frozenset({"DeleteCustomersCustomer"}),
    "which purchases look fishy and wait for a human to look": frozenset({"GetReviews"}),
    "an employee lost his company plastic, lock it": frozenset({"PostIssuingCardsCard"}),
    "send our earnings to the bank today": frozenset({"PostPayouts"}),
    "put up what a thing costs": frozenset({"PostPrices", "PostPricesPrice"}),
    "what happened in our shop during the last hour": frozenset({"GetEvents"}),
    "give up on a bill they will never pay": frozenset(
        {"PostInvoicesInvoiceMarkUncollectible", "PostInvoicesInvoiceVoid"}
    ),
}

STRIPE_USERS: Questions = {
    "refund half of a charge": frozenset({"PostRefunds", "PostChargesChargeRefund", "PostChargesChargeRefunds"}),
    "cancel a customer's subscription at the end of the period": frozenset(
        {
            "PostSubscriptionsSubscriptionExposedId",
            "PostCustomersCustomerSubscriptionsSubscriptionExposedId",
            "DeleteCustomersCustomerSubscriptionsSubscriptionExposedId",
        }
    ),
    "unpaid invoices of one customer": frozenset({"GetInvoices", "GetInvoicesSearch"}),
    "create a 20% off coupon valid for three months": frozenset({"PostCoupons"}),
    "what is our available balance": frozenset({"GetBalance"}),
    "add a webhook endpoint for failed payments": frozenset({"PostWebhookEndpoints"}),
    "how do I upload evidence against a chargeback?": frozenset(
        {"PostDisputesDispute", "PostChargesChargeDispute", "PostFiles"}
    ),
    "next payouts and when they arrive": frozenset({"GetPayouts"}),
    "email the invoice to the customer again": frozenset({"PostInvoicesInvoiceSend"}),
    "preview what the customer will be billed next time": frozenset(
        {"GetInvoicesUpcoming", "GetInvoicesUpcomingLines"}
    ),
    "deactivate a promotion code": frozenset({"PostPromotionCodesPromotionCode"}),
    "set a different default card for a customer": frozenset({"PostCustomersCustomer"}),
}

DIGITALOCEAN_STRANGERS: Questions = {
    "which machines do I have running": frozenset({"droplets_list"}),
    "switch the box off and on again": frozenset({"dropletActions_post"}),
    "I forgot the secret for logging in to my machine": frozenset({"dropletActions_post"}),
    "my website's name should lead somewhere else": frozenset({"domains_update_record", "domains_patch_record"}),
    "warn me when a machine is too busy": frozenset({"monitoring_create_alertPolicy"}),
    "let only people from our office reach the machine": frozenset(
        {"firewalls_create", "firewalls_update", "firewalls_add_rules"}
    ),
    "tell me if my site can't be reached from Asia": frozenset({"uptime_check_create", "uptime_alert_create"}),
    "last month's bill as a printable file": frozenset({"invoices_get_pdfByUUID"}),
    "spread visitors evenly over several machines": frozenset({"loadBalancers_create"}),
    "throw away old disk copies": frozenset({"snapshots_delete", "volumeSnapshots_delete_byId", "images_delete"}),
    "who is allowed to connect to the data store": frozenset({"databases_list_firewall_rules", "databases_list_users"}),
    "which countries can I host in": frozenset({"regions_list", "apps_list_regions"}),
}

DIGITALOCEAN_USERS: Questions = {
    "remove an old SSH key from my account": frozenset({"sshKeys_delete"}),
    "resize a droplet to a bigger plan": frozenset({"dropletActions_post"}),
    "purge CDN cache after deploying the site": frozenset({"cdn_purge_cache"}),
    "add an A record to my domain": frozenset({"domains_create_record"}),
    "scale the node pool of a Kubernetes cluster": frozenset({"kubernetes_update_nodePool"}),
    "download kubeconfig for a cluster": frozenset({"kubernetes_get_kubeconfig"}),
    "put a droplet under an existing firewall": frozenset({"firewalls_assign_droplets", "firewalls_update"}),
    "how much do I owe this month?": frozenset({"balance_get"}),
    "fork a database from a backup": frozenset({"databases_create_cluster"}),
    "attach a block storage volume to a droplet": frozenset({"volumeActions_post", "volumeActions_post_byId"}),
    "free up space in the container registry": frozenset(
        {"registry_run_garbageCollection", "registry_delete_repositoryManifest", "registry_delete_repositoryTag"}
    ),
    "roll the app back to the previous deployment": frozenset({"apps_create_rollback"}),
}

ZOOM_STRANGERS: Questions = {
    "call off Thursday's video call": frozenset({"meetingDelete"}),
    "someone left the company, kick her out": frozenset({"userDelete", "userStatus"}),
    "how much time did we spend talking last month": frozenset({"reportDaily", "reportUsers", "reportMeetings"}),
    "set up a big online lecture for five hundred listeners": frozenset({"webinarCreate"}),
    "the conference sounded choppy yesterday, find out why": frozenset(
        {"dashboardMeetingParticipantsQOS", "dashboardMeetingParticipantQOS"}
    ),
    "bring back a tape I threw away by accident": frozenset({"recordingStatusUpdate", "recordingStatusUpdateOne"}),
    "put my face photo next to my name": frozenset({"userPicture"}),
    "place the new hire with the sales people": frozenset({"groupMembersCreate", "imGroupMembersCreate"}),
    "write a quick note to a coworker": frozenset({"sendaChatMessage", "sendimmessages"}),
    "let my secretary plan calls for me": frozenset({"userAssistantCreate"}),
    "what did the audience answer to our questions": frozenset(
        {"listPastMeetingPolls", "listPastWebinarPollResults", "reportMeetingPolls", "reportWebinarPolls"}
    ),
    "who logged on and off and when": frozenset({"reportSignInSignOutActivities"}),
}

ZOOM_USERS: Questions = {
    "schedule a recurring meeting": frozenset({"meetingCreate"}),
    "cloud recordings from last week": frozenset({"recordingsList", "getAccountCloudRecording"}),
    "who attended yesterday's meeting": frozenset(
        {"pastMeetingParticipants", "reportMeetingParticipants", "dashboardMeetingParticipants"}
    ),
    "add a panelist to the webinar": frozenset({"webinarPanelistCreate"}),
    "approve pending registrants of a meeting": frozenset({"meetingRegistrantStatus"}),
    "end a live meeting now": frozenset({"meetingStatus"}),
    "give a user a Licensed seat": frozenset({"userUpdate"}),
    "create a poll for my meeting": frozenset({"meetingPollCreate", "createBatchPolls"}),
    "which Zoom Rooms are offline?": frozenset({"listZoomRooms", "dashboardZoomRooms"}),
    "invite people to a chat channel": frozenset({"inviteChannelMembers"}),
    "live stream a meeting to YouTube": frozenset({"meetingLiveStreamUpdate", "meetingLiveStreamStatusUpdate"}),
    "call log of a Zoom Phone user": frozenset({"phoneUserCallLogs"}),
}

JIRA_STRANGERS: Questions = {
    "hand this job over to Maria": frozenset({"assignIssue", "editIssue"}),
    "tell the developers something is broken": frozenset({"createIssue"}),
    "put a screenshot on it": frozenset({"addAttachment"}),
    "how did it change over time and by whom": frozenset({"getChangeLogs"}),
    "stop mailing me about this task": frozenset({"removeWatcher"}),
    "how long did people spend on it": frozenset({"getIssueWorklog"}),
    "take back a silly remark I made": frozenset({"deleteComment"}),
    "let a new colleague in": frozenset({"createUser"}),
    "how urgent can a thing be": frozenset({"getPriorities", "searchPriorities"}),
    "me too, I want this as well": frozenset({"addVote"}),
    "which steps does a piece of work go through": frozenset(
        {"getAllWorkflows", "getWorkflowsPaginated", "getAllStatuses", "getStatuses"}
    ),
    "what am I allowed to do here": frozenset({"getMyPermissions"}),
}

JIRA_USERS: Questions = {
    "move an issue to Done": frozenset({"doTransition"}),
    "who is watching this issue": frozenset({"getIssueWatchers"}),
    "log two hours of work on a ticket": frozenset({"addWorklog"}),
    "comment on an issue": frozenset({"addComment"}),
    "run a JQL query": frozenset({"searchForIssuesUsingJql", "searchForIssuesUsingJqlPost"}),
    "create a fix version for the next release": frozenset({"createVersion"}),
    "link two issues as duplicates": frozenset({"linkIssues"}),
    "add a group to a project role": frozenset({"addActorUsers", "setActors", "addProjectRoleActorsToRole"}),
    "archive a project": frozenset({"archiveProject"}),
    "add options to a select list custom field": frozenset({"createCustomFieldOption"}),
    "my favourite filters": frozenset({"getFavouriteFilters", "getMyFilters"}),
    "who changed settings in Jira last month": frozenset({"getAuditRecords"}),
}

JELLYFIN_STRANGERS: Questions = {
    "pause what is on in the living room": frozenset({"SendPlaystateCommand"}),
    "who is looking at something right now": frozenset({"GetSessions"}),
    "remember that I love this film": frozenset({"MarkFavoriteItem", "UpdateUserItemRating"}),
    "tunes that sound like this one": frozenset({"GetInstantMixFromSong", "GetInstantMixFromItem", "GetSimilarItems"}),
    "wrong poster, choose another picture": frozenset({"GetRemoteImages", "DownloadRemoteImage", "SetItemImage"}),
    "look at the same film together with far away friends": frozenset({"SyncPlayCreateGroup", "SyncPlayJoinGroup"}),
    "what's on the telly tonight": frozenset({"GetLiveTvPrograms", "GetPrograms", "GetRecommendedPrograms"}),
    "change my secret word": frozenset({"UpdateUserPassword"}),
    "wipe a broken film off the disk": frozenset({"DeleteItem", "DeleteItems"}),
    "my films are also on another drive, show them too": frozenset({"AddMediaPath", "AddVirtualFolder"}),
    "give my sister her own login": frozenset({"CreateUserByName"}),
    "why did it crash last night": frozenset({"GetServerLogs", "GetLogFile"}),
}

JELLYFIN_USERS: Questions = {
    "continue watching list": frozenset({"GetResumeItems"}),
    "mark an episode as watched": frozenset({"MarkPlayedItem"}),
    "rescan all libraries": frozenset({"RefreshLibrary"}),
    "create a playlist": frozenset({"CreatePlaylist"}),
    "next up episodes": frozenset({"GetNextUp"}),
    "install a plugin from the catalog": frozenset({"InstallPackage"}),
    "record a live TV program": frozenset({"CreateTimer", "CreateSeriesTimer"}),
    "find and download subtitles for a movie": frozenset({"SearchRemoteSubtitles", "DownloadRemoteSubtitles"}),
    "limit what a user may watch with parental rating": frozenset({"UpdateUserPolicy"}),
    "restart the server": frozenset({"RestartApplication"}),
    "join a SyncPlay group": frozenset({"SyncPlayJoinGroup"}),
    "trailers and special features of a movie": frozenset({"GetLocalTrailers", "GetSpecialFeatures"}),
}
