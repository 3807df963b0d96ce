import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { EditorStore } from '../state/store.ts';

/** The store of the element that contains the component. */
export const StoreContext = createContext(new EditorStore(() => {}));

export const useStore = (): EditorStore => useContext(StoreContext);
