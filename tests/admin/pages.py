"""What a browser sends back of the forms on a page."""

from html.parser import HTMLParser

# What a browser sends only where it is ticked or pressed.
SENT_ON_CLICK = ("checkbox", "radio", "submit", "button")


class _Forms(HTMLParser):
    def __init__(self):
        super().__init__()
        self.forms, self.select, self.area = [], None, None

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        name = values.get("name")
        if tag == "form":
            self.forms.append((values.get("action", ""), {}))
        elif self.forms and tag == "option" and self.select and "selected" in values:
            self._add(self.select, values.get("value", ""))
        elif self.forms and name and "disabled" not in values:
            self._field(tag, name, values)

    def _field(self, tag, name, values):
        if tag == "select":
            self.select = name
        elif tag == "textarea":
            self.area = name
            self._add(name, "")
        elif tag == "input" and ("checked" in values or values.get("type") not in SENT_ON_CLICK):
            self._add(name, values.get("value", "on" if "checked" in values else ""))

    def _add(self, name, value):
        self.forms[-1][1].setdefault(name, []).append(value)

    def handle_endtag(self, tag):
        if tag == "select":
            self.select = None
        elif tag == "textarea":
            self.area = None

    def handle_data(self, data):
        if self.area:
            self.forms[-1][1][self.area][0] += data.removeprefix("\n")


def form(client, url, field="stamp", action=""):
    """Return what the form of a page sends that has the field, as the page was opened."""
    parser = _Forms()
    parser.feed(client.get(url).content.decode())
    return [dict(fields) for where, fields in parser.forms if field in fields and action in where][-1]


def save(client, url, changes=(), **values):
    """Open a page, change fields of its form, send it, and return the answer. None takes a field out, as an untick does."""
    return client.post(url, changed(form(client, url), {**dict(changes), **values}))


def changed(fields, changes):
    return {name: value for name, value in {**fields, **changes}.items() if value is not None}


def notices(client, response):
    """Return the messages on the page that an answer leads to."""
    return [str(message) for message in client.get(response["Location"]).context["messages"]]
