import { Heading } from '../shell/heading.tsx';
import { words } from '../shell/say.ts';

export const SchedulesPage = () => <Heading text={words.value.schedules} />;
