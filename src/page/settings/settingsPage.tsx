import { Heading } from '../shell/heading.tsx';
import { words } from '../shell/say.ts';

/** The settings of the bridge. */
export const SettingsPage = () => <Heading text={words.value.settings} />;
