// Loaded before a fixture: names each unhandled rejection on standard error and makes the process fail at its end.
process.on('unhandledRejection', (reason) => {
  process.exitCode = 70
  console.error(`unhandledRejection: ${reason?.stack ?? String(reason)}`)
})
