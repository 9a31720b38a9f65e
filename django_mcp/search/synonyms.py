"""English words that people and APIs use for the same thing, each line of them one meaning.

Only words of any business and any software are here; a product's own go into `keywords` and `aliases`.
"""

from collections import defaultdict
from collections.abc import Mapping

from django_mcp.search.words import stem

_MEANINGS = """
abort cancel stop end terminate halt quit
access permission right allowed privilege
account user login profile
activate enable
activity history log audit event happened
add create make new insert place post
address location place
agree accept approve confirm
alert notification notify warn warning alarm
allow permit grant
amount price cost fee
analytic statistic metric stat insight traffic visitor
announce publish
appointment event meeting
archive hide
article product item good
assign assignee hand
assistant secretary
attach link connect
attachment file document upload
attendee participant audience guest
author writer creator
avatar picture image photo icon logo poster
backup snapshot
balance fund cash money
ban block
begin start launch
bill invoice
bin trash
book booking reserve reservation
bug issue problem defect
build job pipeline workflow
buy order purchase bought
buyer customer client shopper consumer
calendar schedule timetable agenda
call phone telephone
cancel delete
card payment
cart basket
category label tag kind
certificate ssl tls
change update edit modify adjust set alter patch put
channel room
chargeback dispute complaint complain
chat conversation
check verify validate test
clone copy duplicate fork
colleague coworker teammate member user employee person people staff
combine merge join
comment reply answer remark respond response note
company organization organisation firm business
configuration setting preference option config
country region
coupon voucher discount promotion
count number many total
credential secret password
database db
deactivate disable suspend
deadline due
delete remove drop erase destroy discard wipe
deliver send dispatch
delivery shipping shipment parcel
deny reject decline refuse
dependency library package
detach unlink disconnect
directory folder
disk volume storage drive
domain dns website site
download export
earning payout revenue income
email mail message letter
emoji reaction
employee worker staff hire
execute run trigger
expire expiry
failed failure broken error crash
favorite favourite like star love
feedback review rating
film movie video
find search lookup locate
follow watch subscribe
fraud suspicious fishy
freeze lock protect
group team crowd
host server machine instance computer
identity verification
import upload
important urgent priority
invitation invite
job task work
key token
language locale translation
latest recent last newest
lead contact prospect
leave exit quit
list show get view read fetch retrieve see display
mailing newsletter campaign
manager boss admin administrator
mark flag
mistake error
move transfer migrate
mute silence
name rename title
newsletter subscriber reader
notification reminder
online active presence
owner responsible
page website
password secret pin
pause hold suspend
pay payment paid
permission role
phone mobile telephone
pin stick
play stream watch
program programme show
promote upgrade
question query
quota limit
reboot restart rerun retry redo
record recording tape
recover restore undo revert rollback
refund reimburse
register signup enroll
release publish version
remove kick revoke expel
report summary overview
request ask
revision version
schedule plan
security vulnerability vulnerable
share grant
sign signature
song track music tune
speed performance
spend spent usage billing expense
spreadsheet file
status state progress
stock inventory
store shop
subscription plan
tax vat
telly tv television
template layout
ticket issue task
time duration
unsubscribe optout
vote upvote
webhook callback hook
wish request
"""


def _related() -> Mapping[str, frozenset[str]]:
    related: dict[str, set[str]] = defaultdict(set)
    for line in _MEANINGS.split("\n"):
        stems = {stem(word) for word in line.split()}
        for known in stems:
            related[known] |= stems - {known}
    return {known: frozenset(others) for known, others in related.items()}


# By each stem that is known here, the other stems that may mean the same.
RELATED: Mapping[str, frozenset[str]] = _related()

# These hold a sentence together. They tell little of what is wanted, however rare they are in terse descriptions.
_FUNCTION_WORDS = """
a about above after again against all also already am an and any are as at be been before being below between both but
by can could d did do does doing done down during each ever every few for from had has have having he her here him his
how i if in into is it its just let lets like ll m many may me might mine more most much must my need no nor not now of
off on one only onto or other our ours out over own please s same shall she should so some still such t than that the
their them then there these they this those through to too under until up us ve very want was we were what when where
which while who whom whose why will with within without would yet you your yours
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
# What follows one of these tells which of the things before it is meant.
PREPOSITIONS = frozenset({"for", "of", "in", "by", "from", "with"})
