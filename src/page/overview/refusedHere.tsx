import { computed } from '@preact/signals';
import { isDeviceRefused, isRefusedBelow, refusalsOf } from '../model/refusals.ts';
import { latePart } from '../shell/late.tsx';
import { base, topics } from '../state/store.ts';

/** Everything that Viessmann refuses to this account. */
const refusals = computed(() => refusalsOf(topics.value, base.value));

const list = latePart(async () => (await import('./refusals.tsx')).RefusalList);
const here = latePart(async () => (await import('./refusals.tsx')).RefusedHere);

/** The list of all refusals; empty without any. */
export const Refusals = () => (refusals.value.length > 0 ? <list.Part refusals={refusals.value} /> : null);

/** A note if some changes of this feature, or below this scope, are refused. */
export const RefusedHere = ({ device, scope }: { readonly device: string; readonly scope: string }) =>
  isRefusedBelow(refusals.value, device, scope) ? <here.Part what="here" /> : null;

/** A note if nothing on this device is readable any more. */
export const RefusedDevice = ({ device }: { readonly device: string }) =>
  isDeviceRefused(refusals.value, device) ? <here.Part what="old" /> : null;
