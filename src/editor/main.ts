import { WeekEditorElement } from './weekEditorElement.tsx';

if (!customElements.get('heating-week-editor')) customElements.define('heating-week-editor', WeekEditorElement);
