#!/usr/bin/env node
// kubectl runs this for `kubectl outrigger`; main.ts goes by the name of the file.
import './outrigger.js';
