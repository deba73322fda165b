#!/usr/bin/env node
// Entry of every command, run by the Node of the machine. Code that needs a newer Node loads after the check.
const oldest = 20;
const found = process.versions.node;

if (Number(found.split('.')[0]) < oldest) {
  console.error(
    `Tradewind needs Node ${oldest} or newer to install itself, but this is Node ${found}: install a newer Node from https://nodejs.org.`,
  );
  process.exitCode = 1;
} else {
  import('./bootstrap/hand-over.js').then(
    ({ run }) => run(process.argv.slice(2), process.env),
    (error) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
