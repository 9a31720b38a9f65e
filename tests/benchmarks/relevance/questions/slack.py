"""Questions to Slack's API, written from knowledge of the product before its document was read."""

from tests.benchmarks.relevance.asking import Questions

STRANGERS: Questions = {
    "let everybody in the room know lunch is ready": frozenset({"chat_postMessage"}),
    "nag me about the dentist on Friday": frozenset({"reminders_add"}),
    "is Maria at her desk right now?": frozenset({"users_getPresence"}),
    "throw a troublemaker out of the discussion": frozenset({"conversations_kick"}),
    "take back something I said": frozenset({"chat_delete"}),
    "don't bother me for the next two hours": frozenset({"dnd_setSnooze"}),
    "give what she wrote a thumbs up": frozenset({"reactions_add"}),
    "put a new picture of my face on my account": frozenset({"users_setPhoto"}),
    "what did folks write while I was away": frozenset({"conversations_history"}),
    "where did somebody talk about the budget?": frozenset({"search_messages"}),
    "I want out of this chat": frozenset({"conversations_leave"}),
    "hand a spreadsheet to my colleagues": frozenset({"files_upload", "files_remote_share"}),
    "who got in lately and from what computer": frozenset({"team_accessLogs"}),
    "new hire starts Monday, bring her on board": frozenset({"admin_users_invite"}),
    "her phone was stolen, log her out everywhere": frozenset({"admin_users_session_reset"}),
    "give the room a better title": frozenset({"conversations_rename", "admin_conversations_rename"}),
    "keep this just for me, to find it again later": frozenset({"stars_add"}),
    "call off the note that was going out tonight": frozenset({"chat_deleteScheduledMessage"}),
    "our own funny little face to type with": frozenset({"admin_emoji_add"}),
    "make John a boss who can manage everything": frozenset({"admin_users_setAdmin", "admin_users_setOwner"}),
}

USERS: Questions = {
    "post a message to #general at 9am tomorrow": frozenset({"chat_scheduleMessage"}),
    "is Do Not Disturb on for the people on my team": frozenset({"dnd_teamInfo"}),
    "who reacted to this message and with which emoji": frozenset({"reactions_get"}),
    "archive a channel nobody uses": frozenset({"conversations_archive", "admin_conversations_archive"}),
    "set my status to on vacation with a palm tree": frozenset({"users_profile_set"}),
    "invite three people to a private channel": frozenset({"conversations_invite", "admin_conversations_invite"}),
    "all the custom emoji in our workspace": frozenset({"emoji_list", "admin_emoji_list"}),
    "how can I fix a typo in a message I already posted?": frozenset({"chat_update"}),
    "get the replies in a thread": frozenset({"conversations_replies"}),
    "unpin something from a channel": frozenset({"pins_remove"}),
    "create @designers so we can mention the whole group": frozenset({"usergroups_create"}),
    "look up a member when I only have their email address": frozenset({"users_lookupByEmail"}),
    "start a group DM with Ana and Raj": frozenset({"conversations_open"}),
    "delete a PDF I uploaded": frozenset({"files_delete"}),
    "bot message that only one person in the channel can see": frozenset({"chat_postEphemeral"}),
    "permalink of a message": frozenset({"chat_getPermalink"}),
    "turn off the public link for a file": frozenset({"files_revokePublicURL"}),
    "pop up a modal after somebody clicks my app's button": frozenset({"views_open", "dialog_open"}),
    "app requests waiting for an admin to approve": frozenset({"admin_apps_requests_list"}),
    "make a public channel private": frozenset({"admin_conversations_convertToPrivate"}),
}
