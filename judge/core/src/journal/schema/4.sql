-- Which rule a rejected answer breaks, and where: as far as the checker says.
ALTER TABLE result ADD COLUMN broken_line INTEGER;
ALTER TABLE result ADD COLUMN broken_column INTEGER;
ALTER TABLE result ADD COLUMN broken_move INTEGER;
ALTER TABLE result ADD COLUMN broken_rule TEXT;
