"""What the schemas of all files share: strict models, errors as sentences, tables for the reference pages."""
