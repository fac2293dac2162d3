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

To read first: `codec`, the four functions of a surface. Then, for decoding, `decoding` and
`repairs` (what is wrong, and what the default mode does about it); for encoding, `encoding`,
`writing` (straight to text) and `refusals` (what is wrong, in the words of Python); for classes,
`record`, `unset` and `deferred` (dataclasses that are made when they are used). Of the others,
`extending` and `metadata` are about `_meta`, `models` makes classes fields of pydantic models, and
`official_names` and `suggestions` help with names that do not exist.
"""
