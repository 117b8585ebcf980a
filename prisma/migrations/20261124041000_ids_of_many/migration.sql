-- Most ids name a few subjects, some name a million, and the planner knows only the average: it would read and sort all of
-- the million for one page. Told that each names many, it reads the newest from the index and stops.
ALTER TABLE "identifier" ALTER COLUMN "value" SET (n_distinct = -0.001);
