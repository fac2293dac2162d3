"""Typed values: records, `UNSET`, decoders, encoders and JSON text.

JSON text is parsed (`jsontext`), and the parsed JSON is decoded into records. Records are encoded
to JSON, which is written as text. Each surface has a generated decoder, encoder and writer for each
type, and one `Codec` that looks them up. This package contains the code that all surfaces share. It
doesn't import any other package of the runtime, so a package generated without support for
connections needs only this one.

Design rules:

- No data is lost. Encoding writes everything that decoding reads, including unknown fields and
  unknown variants. Null differs from an absent field, which is `UNSET`.
- Nothing is guessed. `decode` rejects data that the schema does not allow, unless the schema itself
  defines how to repair it. `encode` rejects values that decoding would not restore.
- The common case is fast. Only errors are slow. Decoders pass the path of a value as a chain of
  pairs, which is converted to a pointer on demand. `dumps` writes text without creating JSON values
  first. If a writer fails, `dumps` encodes the value and checks the result.

The layers, each of which imports only the layers before it:

1. `unset`; `deferred` (dataclasses completed on first use); `errors`; `suggestions` with
   `official_names` (help for misspelled names); `surrogates` and `jsontext`
2. `record`, with `pydantic_fields` (support for classes as fields of pydantic models)
3. `repairs` (errors, and repairs in the default mode), `decoding`
4. `encoding` (with errors that use Python's type names), `writing` (directly to text), `constants`
5. `codec` (the four functions of a surface; read this first); `metadata` and `extending` (`_meta`)
"""
