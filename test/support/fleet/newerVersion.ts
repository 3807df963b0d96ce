import { MIGRATIONS } from '../../../src/storage/migrations.ts';

// Loaded before the program: a later version, whose database has one step more.
(MIGRATIONS as string[]).push('SELECT 1');
