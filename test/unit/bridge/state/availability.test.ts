import { expect, test } from 'vitest';
import { Availability } from '../../../../src/bridge/state/availability.ts';
import { msOf, type Story, storiesIn, tellBy } from '../../../support/story.ts';

/** A story of the reads of a device, each with its moment in minutes; `polled` says how often, by default once a minute. */
const tellStory = async (...parts: readonly string[]): Promise<void> => {
  let availability = new Availability(0);
  let seconds = 60;
  const read = (code: string, nowMs: number, of?: string): void => {
    const failure = Object.assign(new Error(code), { code, executed: 'no' as const });
    availability.read(code === 'good' ? { ok: true } : { ok: false, failure }, nowMs, of);
  };
  let atMs = 0;
  await tellBy(
    {
      begun: ([span = '']) => {
        availability = new Availability(msOf(span));
      },
      polled: ([every]) => {
        seconds = Number(every);
      },
      read: ([code = '']) => {
        atMs += 1;
        read(code, atMs);
      },
      // No read for so long since the last.
      at: ([span = '']) => availability.look(msOf(span) + atMs, seconds),
      // Reading was not allowed for so long.
      excused: ([span = '']) => availability.extend(msOf(span)),
      is: ([state]) => expect(availability.is).toBe(state),
      said: ([is]) => expect(availability.isReportedOffline).toBe(is === 'yes'),
      // Reads of several features, `a!` one that says that the gateway is offline; how often the state changes.
      reads: (rest) => {
        const reads = rest.slice(0, -1);
        const seen = reads.map((one) => {
          read(one.endsWith('!') ? 'gateway_offline' : 'good', 0, one.replace('!', ''));
          return availability.is;
        });
        expect(seen.filter((state, i) => i > 0 && state !== seen[i - 1])).toHaveLength(Number(rest.at(-1)));
      },
    },
    parts,
  );
};

test.each<Story>([
  ...storiesIn(`
    says nothing before its first read has ended :: at 1m; is; read good; is online
    that was never read is offline after that time, too :: begun 5m; at 20m; is; at 1200001ms; is offline
    is said to be offline as long as the last read says so, and not by a platform that is away
      read good; said no; read gateway_offline; said yes; read rate_limited; said yes; read server_error; is offline; said no
      read gateway_offline; said yes; read good; said no
    is not blamed for the time in which reading was not allowed :: read good; excused 60m; at 75m; is online; at 4500001ms; is offline
    changes as little as several reads that contradict each other allow :: reads a b a! b! a! b! a b 2
    of which some reads are good and some say offline, changes with the one that does both :: reads a b! c! a b! c! a b! c! 2
    of which a read changes its mind, changes with it :: reads a b! a b! a! b! a b 4
    of which the only read changes its mind, changes with it :: reads a! a a! a 3
  `),
  ...['gateway_offline', 'device_offline'].flatMap((code) =>
    storiesIn(`
      is offline at once when the platform says ${code}, and online after a good read
        read good; read ${code}; is offline; read timeout; is offline; read good; is online`),
  ),
  ...['rate_limited', 'server_error', 'timeout', 'not_found', 'login_needed'].flatMap((code) =>
    storiesIn(`stays as it was through ${code} :: read ${code}; is; read good; read ${code}; is online`),
  ),
  ...['60 15', '290 15', '600 30', '3600 180'].flatMap((pair) => {
    const [seconds, minutes = 0] = pair.split(' ').map(Number);
    return storiesIn(`
      polled every ${seconds} s is offline after ${minutes} minutes without a good read
        polled ${seconds}; read good; at ${minutes}m; is online; at ${minutes * 60_000 + 1}ms; is offline`);
  }),
])('a device %s', (_, ...story) => tellStory(...story));
