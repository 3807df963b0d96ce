import type { CommandResult } from '../commands/commandRequest.ts';
import type { Refusal } from '../commands/rejection.ts';

/** The final answer of a write that waited and was not sent. */
export type Ended = CommandResult & { readonly status: 'superseded' | 'rejected' | 'unchanged' };

export const superseded = (message: string): Ended => ({ status: 'superseded', message });

export const CANCELLED: Ended = { ...superseded('it was cancelled before it was sent'), facts: { about: 'cancelled' } };

export const notFollowed = (properties: readonly string[], missing: readonly string[]): Ended => ({
  status: 'rejected',
  code: 'incomplete',
  message: `${properties.join(', ')} was kept for a day, and ${missing.join(', ')} did not follow; nothing was sent: write them anew`,
  facts: { about: 'not_followed', names: properties, missing },
});

export const noCommand = (feature: string, command: string): Ended => ({
  status: 'rejected',
  code: 'unknown_command',
  message: `${feature} no longer has ${command}, so what waited for it was not sent`,
});

export const noFeature = (feature: string): Ended => ({
  status: 'rejected',
  code: 'unknown_feature',
  message: `the platform no longer has ${feature}, or the settings leave it out, so what waited was not sent`,
});

export const noDevice = (name: string): Ended & Refusal => ({
  status: 'rejected',
  code: 'unknown_device',
  message: `the device ${name} is gone, so what waited was not sent`,
});
