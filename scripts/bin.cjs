#!/usr/bin/env node
// The first file of the release, in ES5: a Node that is too old to read the rest reads this, and says so.
// scripts/build.ts puts in the version that `engines` of package.json names.
var needed = '{{needed}}';
var running = process.versions.node;

function numbers(version) {
  return version.split('.').map(parseFloat);
}

function difference(a, b) {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

// The kernel gives process 1 of a container no signal for which it does not listen. Until the program does, a stop ends it here.
function onEarlyStop(signal) {
  if (process.listenerCount(signal) === 0) process.exit(0);
}

if (process.pid === 1) process.once('SIGTERM', onEarlyStop).once('SIGINT', onEarlyStop);

if (difference(numbers(running), numbers(needed)) < 0) {
  console.error('heating2mqtt needs Node.js %s or newer, but this is Node.js %s (%s).', needed, running, process.execPath);
  console.error('Install a newer one from https://nodejs.org/ or use the container image, which brings its own.');
  process.exitCode = 1;
} else {
  require('./start.js');
}
