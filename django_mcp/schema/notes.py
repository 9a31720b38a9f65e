"""What the model is told where a schema does not say all."""

FURTHER_FIELDS = "It may take further fields, which are not described."
UNDESCRIBED_BODY = (
    "The body of this operation is not described. Send the fields that its description names; where it names none, "
    "send none and read the error."
)
FREE_QUERY = "The options of this operation are not described; any may be sent, and it ignores what it does not know."
RECURSIVE = "A field that contains its own kind of object is described one level deep only."
UNDESCRIBED = {
    "parameters": "Some arguments of the path or query could not be described.",
    "filters": "The filters of this operation could not be described.",
    "pagination": "The pagination of this operation could not be described.",
    "response": "The answer of this operation could not be described.",
}
