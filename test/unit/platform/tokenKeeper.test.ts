import { describe, expect, it } from 'vitest';
import type { AccountName } from '../../../src/language/accounts/loginHelp.ts';
import { type AuthState, instant } from '../../../src/platform/auth/authState.ts';
import { TokenFileError } from '../../../src/platform/auth/tokenFile.ts';
import { tokenKeeper } from '../../../src/platform/auth/tokenKeeper.ts';
import type { GivenTokens, StoredTokens } from '../../../src/platform/auth/tokens.ts';
import { PlatformError } from '../../../src/platform/errors.ts';

const START = Date.parse('2026-11-21T09:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const stored = (changes: Partial<StoredTokens> = {}): StoredTokens => ({
  access_token: 'access-0',
  refresh_token: 'refresh-0',
  expires_at: START + 60 * MINUTE,
  scope: 'IoT User offline_access',
  consent_at: START - DAY,
  ...changes,
});

/** Lets work that nobody waits for come as far as it can. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const withoutRefresh = (changes: Partial<StoredTokens> = {}): StoredTokens => {
  const { refresh_token: _, ...rest } = stored(changes);
  return rest;
};

const unavailable = () =>
  new PlatformError('identity_unavailable', 'The identity service is out of order.', { arrived: 'yes', status: 500 });
const refused = () => new PlatformError('login_needed', 'The refresh token is no longer accepted.', { arrived: 'yes', status: 400 });

/** A keeper with everything around it in the test's hand. */
const house = (first: StoredTokens | undefined | Error, account?: AccountName) => {
  const world = {
    now: START,
    onDisk: first,
    writes: [] as StoredTokens[],
    diskFull: false,
    asked: [] as string[],
    logged: [] as string[],
    states: [] as AuthState[],
    sleep: async (_: number): Promise<void> => undefined,
    /** What the identity service does when asked; replaced by tests. */
    answer: async (count: number): Promise<GivenTokens> => ({
      access_token: `access-${count}`,
      refresh_token: `refresh-${count}`,
      expires_at: world.now + 60 * MINUTE,
    }),
  };
  const log = (_: object, sentence: string): void => void world.logged.push(sentence);
  const keeper = tokenKeeper({
    ...{ consentDays: 180, account },
    store: {
      read: () => {
        if (world.onDisk instanceof Error) throw world.onDisk;
        return world.onDisk;
      },
      update: (change) => {
        const held = world.onDisk instanceof Error ? undefined : world.onDisk;
        const now = change(held);
        if (now === undefined || now === held) return held;
        if (world.diskFull) throw new TokenFileError('unwritable', 'The disk is full.');
        world.writes.push(now);
        world.onDisk = now;
        return now;
      },
    },
    renewer: {
      refresh: async (refreshToken) => {
        world.asked.push(refreshToken);
        return world.answer(world.asked.length);
      },
    },
    clock: { now: () => world.now, elapsedMs: () => world.now, sleep: (ms) => world.sleep(ms) },
    log: { debug: log, info: log, warn: log, error: log },
  });
  keeper.onChange(() => world.states.push(keeper.state()));
  return { keeper, world };
};

/** The identity service answers when the test says so. */
const slowly = (world: ReturnType<typeof house>['world']): PromiseWithResolvers<GivenTokens> => {
  const slow = Promise.withResolvers<GivenTokens>();
  world.answer = () => slow.promise;
  return slow;
};

describe('a token that is in force', () => {
  it('is given at once, and nothing is asked', async () => {
    const { keeper, world } = house(stored());
    expect(await keeper.accessToken()).toBe('access-0');
    expect(keeper.state()).toMatchObject({ state: 'ok', consent_expires_at: instant(START + 179 * DAY), message: 'Logged in.' });
    expect(world.asked).toEqual([]);
  });

  it('is renewed from 5 minutes before its end, without letting anybody wait', async () => {
    const { keeper, world } = house(stored());
    world.now = START + 55 * MINUTE - 1;
    await keeper.accessToken();
    await settled();
    expect(world.asked).toEqual([]);
    world.now = START + 55 * MINUTE;
    const slow = slowly(world);
    expect(await keeper.accessToken()).toBe('access-0');
    expect(await keeper.accessToken()).toBe('access-0');
    slow.resolve({ access_token: 'access-9', expires_at: world.now + 60 * MINUTE });
    await settled();
    expect(await keeper.accessToken()).toBe('access-9');
    expect(world.asked).toEqual(['refresh-0']);
    // An answer without a refresh token leaves the old one in force.
    expect(world.writes).toMatchObject([{ access_token: 'access-9', refresh_token: 'refresh-0', consent_at: START - DAY }]);
    expect(world.states.map(({ state }) => state)).toEqual([]);
  });

  it('is renewed at most half its life before its end', async () => {
    const { keeper, world } = house(stored({ expires_at: START - 1 }));
    world.answer = async (count) => ({ access_token: `short-${count}`, expires_at: world.now + 4 * MINUTE });
    expect(await keeper.accessToken()).toBe('short-1');
    world.now += 2 * MINUTE - 1;
    await keeper.accessToken();
    await settled();
    expect(world.asked).toHaveLength(1);
    world.now += 1;
    await keeper.accessToken();
    await settled();
    expect(world.asked).toHaveLength(2);
  });
});

describe('a token that has ended or is refused', () => {
  it('is renewed once for twenty who wait', async () => {
    const { keeper, world } = house(stored({ expires_at: START }));
    const tokens = await Promise.all(Array.from({ length: 20 }, () => keeper.accessToken()));
    expect(new Set(tokens)).toEqual(new Set(['access-1']));
    expect(world.asked).toEqual(['refresh-0']);
    expect(world.states.map(({ state }) => state)).toEqual(['refreshing', 'ok']);
  });

  it('is renewed once for twenty whose token was refused, also for those who come late', async () => {
    const { keeper, world } = house(stored());
    await keeper.accessToken();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => keeper.renew('access-0')));
    expect(new Set(tokens)).toEqual(new Set(['access-1']));
    expect(await keeper.renew('access-0')).toBe('access-1');
    expect(world.asked).toEqual(['refresh-0']);
  });

  it('stores a rotated refresh token before it gives the new access token, and uses the rotated one next', async () => {
    const { keeper, world } = house(stored({ expires_at: START }));
    await keeper.accessToken();
    expect(world.onDisk).toMatchObject({ access_token: 'access-1', refresh_token: 'refresh-1' });
    world.now += 61 * MINUTE;
    await keeper.accessToken();
    expect(world.asked).toEqual(['refresh-0', 'refresh-1']);
  });

  it('lets a caller give up alone', async () => {
    const { keeper, world } = house(stored({ expires_at: START }));
    const slow = slowly(world);
    const hurried = new AbortController();
    const first = keeper.accessToken(hurried.signal);
    const second = keeper.accessToken();
    hurried.abort();
    await expect(first).rejects.toMatchObject({ code: 'aborted', arrived: 'no' });
    slow.resolve({ access_token: 'access-9', expires_at: START + MINUTE });
    expect(await second).toBe('access-9');
  });
});

describe('an end while a token is renewed', () => {
  const renewing = async () => {
    const { keeper, world } = house(stored({ expires_at: START }));
    const answer = Promise.withResolvers<GivenTokens>();
    const waited = Promise.withResolvers<void>();
    world.answer = () => answer.promise;
    world.sleep = () => waited.promise;
    keeper.accessToken().catch(() => undefined);
    await settled();
    const shown = world.states.length;
    return { keeper, world, answer, waited, shown };
  };

  it('stores the refresh token that the platform gives in the place of the one before, and shows nothing any more', async () => {
    const { keeper, world, answer, shown } = await renewing();
    const closed = keeper.close();
    answer.resolve({ access_token: 'access-9', refresh_token: 'refresh-9', expires_at: START + 60 * MINUTE });
    await closed;
    expect(world.onDisk).toMatchObject({ refresh_token: 'refresh-9' });
    expect(world.states).toHaveLength(shown);
  });

  it('does not wait long for a service that does not answer', async () => {
    const { keeper, world, waited } = await renewing();
    let asked = 0;
    world.sleep = (ms) => {
      asked = ms;
      return waited.promise;
    };
    const closed = keeper.close();
    waited.resolve();
    await closed;
    expect(asked).toBe(3000);
    expect(world.onDisk).toMatchObject({ refresh_token: 'refresh-0' });
  });
});

describe('an identity service that is out of order', () => {
  it('is asked again after 1, 2, 4 … 300 s, keeps the refresh token, and is told once', async () => {
    const { keeper, world } = house(stored({ expires_at: START }));
    world.answer = () => Promise.reject(unavailable());
    const waits: number[] = [];
    let before = world.now;
    while (waits.length < 11) {
      const asked = world.asked.length;
      await expect(keeper.accessToken()).rejects.toMatchObject({ code: 'identity_unavailable', arrived: 'no' });
      if (world.asked.length > asked) {
        waits.push((world.now - before) / 1000);
        before = world.now;
      }
      world.now += 1000;
    }
    expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
    expect(new Set(world.asked)).toEqual(new Set(['refresh-0']));
    expect(world.writes).toEqual([]);
    expect(world.states.map(({ state }) => state)).toEqual(['refreshing', 'failing']);
    expect(world.logged).toEqual(['the login cannot be renewed now; it is tried again']);
    world.now += 300_000;
    world.answer = async () => ({ access_token: 'access-9', expires_at: world.now + MINUTE });
    expect(await keeper.accessToken()).toBe('access-9');
    expect(keeper.state().state).toBe('ok');
    expect(world.logged).toEqual(['the login cannot be renewed now; it is tried again', 'login works again']);
  });

  it('does not stop a token that still works', async () => {
    const { keeper, world } = house(stored({ expires_at: START + 4 * MINUTE }));
    world.answer = () => Promise.reject(unavailable());
    expect(await keeper.accessToken()).toBe('access-0');
    await settled();
    expect(keeper.state().state).toBe('failing');
    expect(await keeper.accessToken()).toBe('access-0');
    expect(world.asked).toHaveLength(1);
  });
});

it('a token that was refused is not given again while it cannot be renewed', async () => {
  const { keeper, world } = house(stored());
  world.answer = () => Promise.reject(unavailable());
  await expect(keeper.renew('access-0')).rejects.toMatchObject({ code: 'identity_unavailable' });
  await expect(keeper.accessToken()).rejects.toMatchObject({ code: 'identity_unavailable' });
});

describe('a login that is needed', () => {
  it('is told without a loop when the refresh token is refused', async () => {
    const { keeper, world } = house(stored({ expires_at: START }));
    world.answer = () => Promise.reject(refused());
    for (let i = 0; i < 5; i += 1) await expect(keeper.accessToken()).rejects.toMatchObject({ code: 'login_needed', arrived: 'no' });
    world.now += DAY;
    await expect(keeper.renew('access-0')).rejects.toMatchObject({ code: 'login_needed' });
    expect(world.asked).toEqual(['refresh-0']);
    expect(keeper.state()).toMatchObject({ state: 'login_needed', since: instant(START) });
    expect(world.onDisk).toMatchObject({ refresh_token: 'refresh-0' });
  });

  it('is known in advance where there is no refresh token', async () => {
    const { keeper, world } = house(withoutRefresh());
    expect(await keeper.accessToken()).toBe('access-0');
    expect(keeper.state()).toMatchObject({ state: 'ok', login_needed_at: instant(START + 60 * MINUTE) });
    expect(keeper.state().message).toContain('2026-11-21 10:00 UTC');
    expect(keeper.state().message).toContain('offline_access');
    world.now = START + 60 * MINUTE;
    await expect(keeper.accessToken()).rejects.toMatchObject({ code: 'login_needed' });
    expect(keeper.state()).toMatchObject({ state: 'login_needed', since: instant(world.now) });
  });

  it('is told from the start when the stored token has ended', async () => {
    const { keeper } = house(withoutRefresh({ expires_at: START - 1 }));
    expect(keeper.state().state).toBe('login_needed');
  });

  it('is told when nobody has logged in yet, and ends as soon as somebody has', async () => {
    const { keeper, world } = house(undefined);
    await expect(keeper.accessToken()).rejects.toMatchObject({
      code: 'login_needed',
      message: expect.stringContaining('heating2mqtt is not logged in'),
    });
    world.onDisk = stored({ access_token: 'from-login' });
    expect(await keeper.accessToken()).toBe('from-login');
    expect(keeper.state().state).toBe('ok');
  });

  it.each([
    ['broken', undefined, / Log in on the page of heating2mqtt or with `heating2mqtt login`; /],
    ['broken', 'parents', / or with `heating2mqtt login --account parents`; /],
    ['broken', false, / Log in on the page of the worker that serves this account; /],
    ['unreadable', undefined, /^tokens\.json is wrong\.$/],
  ] as const)('says that the file is %s and what the account %s does then, and ends with a new login', async (code, account, sentence) => {
    const { keeper, world } = house(new TokenFileError(code, 'tokens.json is wrong.'), account);
    const message = expect.stringMatching(sentence);
    await expect(keeper.accessToken()).rejects.toMatchObject({ code: 'login_needed', message });
    expect(keeper.state()).toMatchObject({ message });
    world.onDisk = stored({ access_token: 'from-login' });
    expect(await keeper.accessToken()).toBe('from-login');
  });

  it('ends with a new login also while the old token still works', async () => {
    const { keeper, world } = house(stored({ expires_at: START + 4 * MINUTE }));
    world.answer = () => Promise.reject(refused());
    await keeper.accessToken();
    await settled();
    expect(keeper.state().state).toBe('login_needed');
    world.onDisk = stored({ access_token: 'from-login', consent_at: START });
    expect(await keeper.accessToken()).toBe('access-0');
    await settled();
    expect(await keeper.accessToken()).toBe('from-login');
    expect(keeper.state().state).toBe('ok');
  });
});

describe('a login made while a renewal is under way', () => {
  const login = stored({ access_token: 'from-login', refresh_token: 'login-refresh', consent_at: START - 2 * DAY });

  it.each<[what: string, end: (slow: PromiseWithResolvers<GivenTokens>) => void]>([
    ['works', ({ resolve }) => resolve({ access_token: 'access-9', refresh_token: 'refresh-9', expires_at: START + DAY })],
    ['is refused for good', ({ reject }) => reject(refused())],
    ['fails', ({ reject }) => reject(unavailable())],
  ])('wins where the renewal then %s, whether it was taken up before or not', async (_, end) => {
    for (const takenUp of [true, false]) {
      const { keeper, world } = house(stored({ expires_at: START }));
      const slow = slowly(world);
      const waiting = keeper.accessToken();
      await settled();
      world.onDisk = login;
      if (takenUp) await keeper.takeUp();
      end(slow);
      expect(await waiting).toBe('from-login');
      expect(await keeper.accessToken()).toBe('from-login');
      expect(keeper.state().state).toBe('ok');
      expect(world.writes).toEqual([]);
      expect(world.onDisk).toEqual(login);
    }
  });

  it('is not written over by tokens that could not be stored before', async () => {
    const { keeper, world } = house(stored({ expires_at: START }));
    world.diskFull = true;
    expect(await keeper.accessToken()).toBe('access-1');
    world.diskFull = false;
    world.onDisk = login;
    keeper.ensureStored();
    expect(await keeper.accessToken()).toBe('from-login');
    await keeper.close();
    expect(world.onDisk).toEqual(login);
  });

  it('keeps who it is, also where that was found out after a renewal had begun', async () => {
    const { keeper, world } = house(stored({ expires_at: START }));
    const slow = slowly(world);
    const waiting = keeper.accessToken();
    await settled();
    world.onDisk = stored({ expires_at: START, login_id: 'someone' });
    slow.resolve({ access_token: 'access-9', expires_at: START + DAY });
    expect(await waiting).toBe('access-9');
    expect(world.onDisk).toMatchObject({ access_token: 'access-9', login_id: 'someone' });
  });
});

it('works from memory while the disk is full, says it once, and stores when there is room again', async () => {
  const { keeper, world } = house(stored({ expires_at: START }));
  world.diskFull = true;
  expect(await keeper.accessToken()).toBe('access-1');
  keeper.ensureStored();
  world.now += 60 * MINUTE;
  expect(await keeper.accessToken()).toBe('access-2');
  expect(world.asked).toEqual(['refresh-0', 'refresh-1']);
  expect(world.logged).toEqual(['tokens not stored, they are kept in memory']);
  world.diskFull = false;
  keeper.ensureStored();
  expect(world.onDisk).toMatchObject({ access_token: 'access-2', refresh_token: 'refresh-2' });
  expect(world.logged).toEqual(['tokens not stored, they are kept in memory', 'tokens stored again']);
});

describe('tokens that another program has deleted', () => {
  const ways: readonly (readonly [string, (keeper: ReturnType<typeof tokenKeeper>) => unknown])[] = [
    ['within a minute', (keeper) => keeper.ensureStored()],
    ['at the end', (keeper) => keeper.close()],
  ];

  it.each(ways)('are stored anew %s, once', async (_, act) => {
    const { keeper, world } = house(stored({ expires_at: START }));
    expect(await keeper.accessToken()).toBe('access-1');
    world.onDisk = undefined;
    await act(keeper);
    await act(keeper);
    expect(world.onDisk).toMatchObject({ access_token: 'access-1', refresh_token: 'refresh-1', consent_at: START - DAY });
    expect(world.writes).toHaveLength(2);
  });

  it.each(ways)('are not stored %s where there is a login in their place, or the platform has refused them', async (_, act) => {
    const { keeper, world } = house(stored());
    world.onDisk = stored({ access_token: 'from-login', consent_at: START });
    await act(keeper);
    expect(world.writes).toEqual([]);
    const other = house(stored({ expires_at: START }));
    other.world.answer = () => Promise.reject(refused());
    await expect(other.keeper.accessToken()).rejects.toMatchObject({ code: 'login_needed' });
    other.world.onDisk = undefined;
    await act(other.keeper);
    expect(other.world.writes).toEqual([]);
  });
});

describe('the end of the consent', () => {
  it('is told in the state, and in the log once, thirty days ahead', async () => {
    const { keeper, world } = house(stored({ consent_at: START - 149 * DAY }));
    expect(world.logged).toEqual([]);
    for (const days of [1, 2, 3]) {
      world.now = START + days * DAY;
      await keeper.accessToken();
      expect(world.logged).toEqual(['the consent ends soon']);
    }
    const message = expect.stringContaining('consent ends on 2026-12-22');
    expect(keeper.state()).toMatchObject({ state: 'ok', consent_expires_at: instant(START + 31 * DAY), message });
  });
});
