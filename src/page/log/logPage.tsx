import { Heading } from '../shell/heading.tsx';
import { words } from '../shell/say.ts';

export const LogPage = () => <Heading text={words.value.log} />;
