import { mainDocumentTopic } from '../../../src/homeassistant/documents/publishedDocument.ts';

/** True for the discovery topic of a part of a device. */
export const isOfPart = (topic: string): boolean => mainDocumentTopic(topic) !== topic;
