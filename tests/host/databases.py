class MetersRouter:
    """Readings are in the database of the meters, all else is not."""

    def db_for_read(self, model, **hints):
        return "meters" if model.__name__ == "Reading" else None

    db_for_write = db_for_read

    def allow_migrate(self, db, app_label, model_name=None, **hints):
        return (db == "meters") == (model_name == "reading")
