import { test } from 'vitest';
import { expectGoodMonth } from '../support/system/liveMonth.ts';

test('the whole bridge lives through a month of commands in bursts, restarts and outages, with one device', () => expectGoodMonth(1, 1));
