"""Typed values: records, `UNSET`, decoders, encoders and JSON text.

JSON text is parsed (`jsontext`), and parsed JSON is decoded to records; and the reverse. A surface
has a decoder, an encoder and a writer for each type, generated as plain code, and one `Codec` that
finds them. This folder contains the code that they share. It imports no other folder of the
runtime, and a package without connections needs only this folder.

The rules:

- No data is lost. Encoding writes everything that decoding reads: unknown fields and unknown
  variants are kept, and null differs from an absent field, which is `UNSET`.
- No data is guessed. `decode` rejects data that the schema does not allow, unless the schema itself
  defines how to repair it. `encode` rejects values that decoding would not restore.
- The usual case is fast, and only errors are slow. Decoders pass the position of a value as a
  chain of pairs, which is converted to a pointer on demand. `dumps` writes text without creating
  JSON values first. Only if that fails does it use the exact way, value by value.

The layers, each of which only imports the layers before it:

1. `unset`; `deferred` (dataclasses completed on first use); `errors`; `suggestions` with
   `official_names` (help for misspelled names); `surrogates` and `jsontext`
2. `record`, with `pydantic_fields` (classes as fields of pydantic models)
3. `repairs` (errors, and how the default mode repairs them), `decoding`
4. `encoding` (also errors in Python's terms), `writing` (directly to text), `constants`
5. `codec`, the four functions of a surface, to read first; `metadata` and `extending`, for `_meta`
"""
