"""The pages that other things hang on: lessons, questions and labs, as notes and discussions know them."""
