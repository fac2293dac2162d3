"""What is done for projects that use the package: begun, given a copy of it, moved to it.

`new` writes the first files, `vendor` a copy of the package, `port` moves a program from the
official SDK, by way of `porting`.
"""
