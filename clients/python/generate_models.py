"""Writes src/florin/models.py from docs/openapi.json. With --check, only reports if it is outdated."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from datamodel_code_generator import DataModelType, Formatter, InputFileType, LiteralType, PythonVersion, generate

HERE = Path(__file__).parent
DOCUMENT = HERE.parent.parent / "docs" / "openapi.json"
MODELS = HERE / "src" / "florin" / "models.py"

# Florin checks requests. Checks in the client would reject what a newer Florin accepts or returns.
KEPT = {"$ref", "anyOf", "const", "description", "enum", "format", "items", "properties", "required", "type"}
FORMATS = {"date", "date-time"}


def models_of(schemas: dict[str, Any]) -> str:
    unions = {name: schema["oneOf"] for name, schema in schemas.items() if "oneOf" in schema}
    enums = {name: schema["enum"] for name, schema in schemas.items() if "enum" in schema}
    # The type of an event selects its model.
    events = {name_of(member) for member in unions["WebhookEvent"]}
    objects = {
        name: relaxed(schema, unions, open_enums=name not in events)
        for name, schema in schemas.items()
        if name not in unions and not name.endswith("Page")
    }
    for name in events:
        objects[name]["properties"]["data"]["title"] = f"{name}Data"
    aliases = [f"{name} = Literal[{', '.join(map(json.dumps, values))}]" for name, values in enums.items()]
    aliases += [f"{name} = {' | '.join(map(name_of, members))}" for name, members in unions.items()]
    return f"{generated(objects)}\n\n" + "\n".join(aliases) + "\n"


def name_of(reference: dict[str, Any]) -> str:
    return str(reference["$ref"].split("/")[-1])


def relaxed(schema: dict[str, Any], unions: dict[str, Any], open_enums: bool) -> dict[str, Any]:
    """The schema without checks. Open enums also accept values that a newer Florin has."""
    if "$ref" in schema and name_of(schema) in unions:
        return {"anyOf": unions[name_of(schema)]}
    kept: dict[str, Any] = {key: value for key, value in schema.items() if key in KEPT}
    if kept.get("format") not in FORMATS:
        kept.pop("format", None)
    if "properties" in kept:
        kept["properties"] = {name: relaxed(field, unions, open_enums) for name, field in kept["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            kept[key] = relaxed(schema[key], unions, open_enums)
    if "anyOf" in kept:
        kept["anyOf"] = [relaxed(option, unions, open_enums) for option in kept["anyOf"]]
    if "enum" in kept and open_enums:
        kept["anyOf"] = [{"type": kept.pop("type"), "enum": kept.pop("enum")}, {"type": "string"}]
    return kept


def generated(schemas: dict[str, Any]) -> str:
    source = {"openapi": "3.1.0", "info": {"title": "", "version": ""}, "paths": {}, "components": {"schemas": schemas}}
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "models.py"
        generate(
            json.dumps(source),
            input_file_type=InputFileType.OpenAPI,
            input_filename="docs/openapi.json",
            output=output,
            output_model_type=DataModelType.PydanticV2BaseModel,
            target_python_version=PythonVersion.PY_310,
            base_class="florin.model.Model",
            snake_case_field=True,
            # The base class adds them, so that type checkers know only the names in snake case.
            no_alias=True,
            collapse_root_models=True,
            use_title_as_name=True,
            enum_field_as_literal=LiteralType.All,
            use_one_literal_as_default=True,
            use_union_operator=True,
            use_standard_collections=True,
            use_schema_description=True,
            use_field_description=True,
            strict_refs=True,
            disable_timestamp=True,
            formatters=[Formatter.RUFF_FORMAT],
        )
        return output.read_text()


def main() -> None:
    models = models_of(json.loads(DOCUMENT.read_text())["components"]["schemas"])
    if "--check" not in sys.argv:
        MODELS.write_text(models)
    elif MODELS.read_text() != models:
        sys.exit("clients/python/src/florin/models.py is outdated. Run `npm run generate:python`.")


if __name__ == "__main__":
    main()
