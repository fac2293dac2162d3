"""What is done for projects that use the package: begun, given a copy of it, moved to it.

`new` writes the first files, `vendor` a copy of the package, `port` moves a program from the
official SDK. `correspondence` knows the SDK and the package, `reading` reads the program by it, and
`porting` rewrites its modules.
"""
