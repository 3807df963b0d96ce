import type { BridgeSettings } from './dependencies.ts';
import type { Parts } from './parts.ts';
import type { CallFailure } from './ports.ts';
import type { DeviceDiscoveryEvents } from './reads/deviceDiscovery.ts';
import type { SentCommand } from './writes/send/mergeWrites.ts';

/** Connects account events to their stores. Returns the listeners for the login and the device list. */
export const connectAccountEvents = ({ defaultPerDay }: BridgeSettings, parts: Parts) => {
  const { store, faults, frozen, sender, access, refusals, quota, statistics, poller, discovery, statusPublisher } = parts;
  store.on('readEnded', (_, { target }, result) => {
    if (refusals.ended(target, result.ok ? undefined : result.failure)) statusPublisher.show('problems');
  });
  faults.on('eventsRead', (installation, failure) => {
    if (refusals.ended({ eventsOf: installation }, failure)) statusPublisher.show('plan');
  });
  frozen.on('restartAnswered', (gateway, failure) => {
    if (refusals.ended({ gateway, command: 'reboot' }, failure)) statusPublisher.show('plan');
  });
  const commandEnded = ({ state, feature, command }: SentCommand, failure?: CallFailure): void => {
    if (refusals.ended({ ...state.device, feature, command }, failure)) statusPublisher.show('plan');
  };
  sender.on('accepted', (sent) => commandEnded(sent));
  sender.on('callFailed', (failure) => access.callFailed(failure));
  sender.on('callFailed', (failure, sent) => commandEnded(sent, failure));
  access.on('changed', () => statusPublisher.show('auth'));
  if (defaultPerDay !== undefined && refusals.perDay !== undefined) quota.allow(refusals.perDay);
  const learn = (perDay: number): void => {
    if (defaultPerDay === undefined) return;
    quota.allow(perDay);
    refusals.learnPerDay(perDay);
  };
  access.on('limitTold', learn);
  const authChanged = (): void => {
    const isNewLogin = access.tokensChanged();
    statusPublisher.show('auth');
    discovery?.retry(isNewLogin);
    // Refusals of the previous login may not apply to this one, and another account has other limits.
    if (!isNewLogin) return;
    if (defaultPerDay !== undefined) learn(defaultPerDay);
    poller.pollNow();
  };
  const listEvents: DeviceDiscoveryEvents = {
    devicesFound: (devices) => {
      refusals.listed();
      statistics.listed(devices.length);
      store.replace(devices);
    },
    callFailed: (failure) => {
      const isNews = refusals.listed(failure);
      statistics.failed(failure);
      access.callFailed(failure);
      if (isNews) statusPublisher.show('problems');
    },
  };
  return { authChanged, listEvents };
};
