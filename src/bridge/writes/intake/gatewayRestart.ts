import { type Clock, isWaiting } from '../../../shared/clock.ts';
import { type CallFailure, type GatewayRestart, isCallFailure } from '../../ports.ts';
import type { Device } from '../../state/deviceState.ts';
import type { FrozenStore } from '../../state/frozen/frozenStore.ts';
import type { Quota } from '../../state/readTarget.ts';
import { FAULT, failed, noCall, rejected } from '../answers/results.ts';
import type { CommandResult } from '../request/commandRequest.ts';
import { unknownDevice } from '../request/commandTarget.ts';

/** A restart takes minutes, and an automation in a loop would use up all calls. */
const AGAIN_MS = 600_000;

/**
 * Asks the platform once for the restart of a gateway, named by its serial or one of its devices. Never
 * rejects, never repeats. Without `restarts` the platform has no such call; `isAllowed`: by the settings.
 */
export const gatewayRestart = (
  restarts: GatewayRestart | undefined,
  isAllowed: boolean,
  store: { readonly devices: readonly Device[] },
  frozen: Pick<FrozenStore, 'restartedAt' | 'restartAnswered'>,
  access: { callFailed(failure: CallFailure): void },
  quota: Pick<Quota, 'pausedForMs' | 'mayCommand' | 'hold'>,
  clock: Clock,
  signal: AbortSignal,
): ((text: string) => Promise<CommandResult>) => {
  /** By gateway: when it may be restarted again (`Clock.elapsedMs`). */
  const againMs = new Map<string, number>();

  /** The refusal of a restart now, if any. */
  const refusal = (gateway: string): CommandResult | undefined => {
    const now = clock.now();
    const endMs = (frozen.restartedAt(gateway) ?? 0) + AGAIN_MS;
    // After a restart of the bridge a hub may tell its automations anew what stands.
    const ofEarlierRunMs = isWaiting(endMs, now, AGAIN_MS) ? endMs - now : 0;
    const waitMs = Math.max((againMs.get(gateway) ?? 0) - clock.elapsedMs(), ofEarlierRunMs);
    if (waitMs > 0) {
      const from = new Date(now + waitMs).toISOString();
      const facts = { about: 'restarted_lately', gateway, from } as const;
      return rejected('too_often', `a restart of ${gateway} was requested a moment ago; possible again from ${from}`, facts);
    }
    return noCall(quota);
  };

  return async (text) => {
    const asked = text.trim();
    const all = store.devices;
    const device = all.find(({ name }) => name === asked) ?? all.find(({ gateway }) => gateway === asked);
    const names = all.map(({ name }) => name);
    if (!device) return { status: 'rejected', ...unknownDevice(asked, names) };
    if (!restarts)
      return rejected('unknown_command', 'the paths in the settings have none for the restart of a gateway; platform.profile v2 has one', {
        about: 'no_restart',
      });
    if (!isAllowed) return rejected('forbidden', 'commands.allow or commands.deny forbids gateway/restart');
    const { installation, gateway } = device;
    const refused = refusal(gateway);
    if (refused) return refused;
    againMs.set(gateway, clock.elapsedMs() + AGAIN_MS);
    const release = quota.hold();
    try {
      await restarts.restartGateway({ installation, gateway }, signal);
    } catch (error) {
      if (!isCallFailure(error)) return FAULT;
      access.callFailed(error);
      frozen.restartAnswered(gateway, error);
      return failed(error);
    } finally {
      release();
    }
    frozen.restartAnswered(gateway);
    const message = `Viessmann restarts the gateway ${gateway}; it takes some minutes, and the next reads show whether the data are updated again`;
    return { status: 'applied', message, facts: { about: 'gateway_restarts', gateway } };
  };
};
