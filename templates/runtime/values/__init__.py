"""Typed values: records, `UNSET`, decoders, encoders and JSON text.

JSON text becomes parsed JSON (`jsontext`), and that becomes records; and the other way round. The
surfaces have a decoder, an encoder and a writer for each type, generated as plain code, and one
`Codec` that finds them. This folder holds what all of them share. It imports no other folder of the
runtime, and is all that a package without connections has.

The rules:

- Nothing is lost. What decoding reads, encoding writes: unknown members and unknown variants are
  kept, and null differs from an absent member, which is `UNSET`.
- Nothing is guessed. `decode` refuses what the schema does not allow, unless the schema itself says
  how to repair it; `encode` refuses what decoding would not give back.
- The usual case is fast, and only errors are slow. Decoders pass the position of a value along as a
  chain of pairs, of which a pointer is made when somebody asks. `dumps` writes text without making
  JSON values first, and goes the exact way, value by value, only when that fails.

The layers, each of which imports only those before it:

1. `unset`; `deferred` (dataclasses that are made when they are used); `errors`; `suggestions` with
   `official_names` (help with names that do not exist); `surrogates` and `jsontext`
2. `record`, with `pydantic_fields` (classes as fields of pydantic models)
3. `repairs` (what is wrong, and what the default mode does about it), `decoding`
4. `encoding` (also what is wrong, in the words of Python), `writing` (straight to text),
   `constants`
5. `codec`, the four functions of a surface, to read first; `metadata` and `extending`, which are
   about `_meta`
"""
