#!/usr/bin/env node
import './nodeRed.ts';
