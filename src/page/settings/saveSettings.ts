import { batch, signal } from '@preact/signals';
import { loadRows, type Problems, problem, problemsOf, type Save, words } from '../setup/setupState.ts';
import { askUntil } from '../setup/work.tsx';
import { announce } from '../shell/announcer.tsx';
import { mayLeave } from '../shell/route.ts';
import { ApiError, getJson, loadSession, postJson, request } from '../state/api.ts';

export const isSaving = signal(false);
/** True from a saved change until the next save. */
export const isSaved = signal(false);

const WAIT_MS = 30_000;

/** Resolves after a start with the change or its revert. The HTTP listener may be replaced meanwhile. */
const untilBack = (): Promise<boolean | undefined> =>
  askUntil(WAIT_MS, () =>
    getJson('api/settings').then(
      ({ busy }) => !busy || undefined,
      (error) => error instanceof ApiError || undefined,
    ),
  );

/** Sends a change and waits for the start. Problems: nothing was changed, or the page is unreachable. */
const startWith = async (send: () => Promise<unknown>): Promise<Problems> => {
  batch(() => {
    isSaving.value = true;
    isSaved.value = false;
    problem.value = '';
  });
  let isSent = false;
  try {
    await send();
    isSent = true;
    mayLeave.current = () => true;
    await untilBack();
    const { login } = await loadSession();
    if (login === 'needed') return {};
    await loadRows();
    if (problem.value !== '') return { '': words.value.startFailed(problem.value) };
    isSaved.value = true;
    return {};
  } catch (error) {
    return isSent && !(error instanceof ApiError) ? { '': words.value.savedAway } : problemsOf(error);
  } finally {
    isSaving.value = false;
  }
};

/** Writes changes and restarts the bridge with them. Returns problems; then nothing was changed. */
export const saveSettings: Save = async (changes) => {
  announce(words.value.saving);
  const problems = await startWith(() => postJson('api/settings', { changes }));
  if (isSaved.value) announce(words.value.saved);
  return problems;
};

/** Restores a backup and restarts the bridge with it. Returns problems; then nothing was changed. */
export const restoreBackup = async (file: Blob): Promise<Problems> => {
  announce(words.value.restoring);
  const problems = await startWith(() =>
    request('api/backup/restore', { method: 'POST', headers: { 'content-type': 'application/gzip' }, body: file }),
  );
  if (isSaved.value) announce(words.value.restored);
  return problems;
};
