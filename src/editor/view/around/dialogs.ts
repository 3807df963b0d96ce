import { CopyDialog } from './CopyDialog.tsx';
import { ProfilesDialog } from './ProfilesDialog.tsx';
import { SaveDialog } from './SaveDialog.tsx';

/** The dialogs of the editor. The page loads them after the first render. */
export const DIALOGS = { save: SaveDialog, profiles: ProfilesDialog, copy: CopyDialog } as const;
