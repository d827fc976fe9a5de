#!/usr/bin/env node
// Runs where llama.cpp's server tests expect llama-server: asks the stand-in for a server, which lasts as long as this.
import net from 'node:net';
import process from 'node:process';

const line = JSON.stringify({ args: process.argv.slice(2), folder: process.cwd() });
const standIn = net.connect(process.env.IDIOLECT_STAND_IN ?? '', () => standIn.write(`${line}\n`));
standIn.on('data', (text) => process.stdout.write(text));
standIn.on('error', (error) => process.stderr.write(`${error.message}\n`));
// Closed by the stand-in, once there is no server any more.
let isAsked = false;
standIn.on('close', () => process.exit(isAsked ? 0 : 1));
process.on('SIGTERM', () => {
  isAsked = true;
  standIn.end();
});
